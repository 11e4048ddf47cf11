// Twin of texture_latency.wgsl: inline PTX fetches texels by integer coordinates, as WGSL's textureLoad does. CUDA's
// tex2D would convert them to floats, which would count as latency.

struct Sizes { u32 shift; };

// The position after `at`; positions are in row-major order.
__device__ __forceinline__ u32 next(cudaTextureObject_t cycle, u32 at) {
    uint4 texel;
    asm("tex.2d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=r"(texel.x), "=r"(texel.y), "=r"(texel.z), "=r"(texel.w)
        : "l"(cycle), "r"(at & 31u), "r"(at >> 5));
    return texel.x;
}

extern "C" __global__ void __launch_bounds__(1)
kernel(const cudaTextureObject_t cycle, u32* __restrict__ output, const Sizes sizes) {
    u32 at = 0u;
    for (u32 k = 0u; k < STEPS; k += 16u) {
        at = next(cycle, at); at = next(cycle, at); at = next(cycle, at); at = next(cycle, at);
        at = next(cycle, at); at = next(cycle, at); at = next(cycle, at); at = next(cycle, at);
        at = next(cycle, at); at = next(cycle, at); at = next(cycle, at); at = next(cycle, at);
        at = next(cycle, at); at = next(cycle, at); at = next(cycle, at); at = next(cycle, at);
    }
    if (blockIdx.x == 0u) {
        output[0] = at + sizes.shift;
    }
}
