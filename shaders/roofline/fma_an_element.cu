// Twin of fma_an_element.wgsl: WGSL's select is a conditional expression for each vector component.

struct Sizes { u32 elements, addend; };

__device__ __forceinline__ T four(T x, T m, T p) {
    return fma(fma(fma(fma(x, m, p), m, p), m, p), m, p);
}

__device__ __forceinline__ float sign(float x) {
    return x > 0.0f ? 1.0f : -1.0f;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.elements) {
        T x = input[i];
        const T m = make_float4(sign(x.x), sign(x.y), sign(x.z), sign(x.w));
        const float addend = __uint_as_float(sizes.addend);
        const T p = make_float4(addend, addend, addend, addend);
        // "!=", since "<" with a constant zero on the right gives a compiler warning.
        for (u32 k = 0u; k != FMAS / 16u; k++) {
            x = four(four(four(four(x, m, p), m, p), m, p), m, p);
        }
        for (u32 k = 0u; k != FMAS % 16u; k++) {
            x = fma(x, m, p);
        }
        output[i] = x;
    }
}
