// Twin of texture_latency.wgsl: texels are fetched by whole numbers, which the instruction takes as WGSL's textureLoad does, and CUDA's
// tex2D does not: turning them into floats would count as latency.

struct Sizes { u32 shift; };

// The place after `at`; places are numbered row by row.
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
