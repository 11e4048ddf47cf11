// Twin of fma_f16.wgsl: the same code. T is f16, or f16x2, of which one instruction computes both components.

struct Sizes { u32 elements; };

// Independent chains.
struct Chains { T a, b, c, d, e, f, g, h; };

__device__ __forceinline__ Chains one(Chains x, T m, T p) {
    return {
        fma(x.a, m, p), fma(x.b, m, p), fma(x.c, m, p), fma(x.d, m, p),
        fma(x.e, m, p), fma(x.f, m, p), fma(x.g, m, p), fma(x.h, m, p),
    };
}

__device__ __forceinline__ Chains four(Chains x, T m, T p) {
    return one(one(one(one(x, m, p), m, p), m, p), m, p);
}

__device__ __forceinline__ Chains sixteen(Chains x, T m, T p) {
    return four(four(four(four(x, m, p), m, p), m, p), m, p);
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    const u32 at = i & 1023u;
    const T m = input[at + 8u];
    const T p = input[at + 9u];
    Chains x = {
        input[at], input[at + 1u], input[at + 2u], input[at + 3u],
        input[at + 4u], input[at + 5u], input[at + 6u], input[at + 7u],
    };
    for (u32 k = 0u; k < ROUNDS; k++) {
        x = sixteen(sixteen(x, m, p), m, p);
    }
    if (i < sizes.elements) {
        output[i] = ((x.a - x.b) + (x.c - x.d)) + ((x.e - x.f) + (x.g + x.h));
    }
}
