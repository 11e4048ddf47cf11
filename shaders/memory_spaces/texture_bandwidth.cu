// Twin of texture_bandwidth.wgsl: inline PTX fetches texels by integer coordinates, as WGSL's textureLoad does. CUDA's
// tex2D would convert both coordinates to floats.

struct Sizes { u32 invocations; };

// Texel number `at` in row-major order.
__device__ __forceinline__ uint4 texel(cudaTextureObject_t table, u32 at) {
    uint4 texel;
    asm("tex.2d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=r"(texel.x), "=r"(texel.y), "=r"(texel.z), "=r"(texel.w)
        : "l"(table), "r"(at & 15u), "r"(at >> 4));
    return texel;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const cudaTextureObject_t table, u32* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    uint4 sum = make_uint4(i, i, i, i);
    for (u32 k = 0u; k < ROUNDS; k++) {
        const u32 at = (i + 37u * k) & 127u;
        sum = sum * 3u + texel(table, at); sum = sum * 3u + texel(table, at + 8u);
        sum = sum * 3u + texel(table, at + 16u); sum = sum * 3u + texel(table, at + 24u);
        sum = sum * 3u + texel(table, at + 32u); sum = sum * 3u + texel(table, at + 40u);
        sum = sum * 3u + texel(table, at + 48u); sum = sum * 3u + texel(table, at + 56u);
        sum = sum * 3u + texel(table, at + 64u); sum = sum * 3u + texel(table, at + 72u);
        sum = sum * 3u + texel(table, at + 80u); sum = sum * 3u + texel(table, at + 88u);
        sum = sum * 3u + texel(table, at + 96u); sum = sum * 3u + texel(table, at + 104u);
        sum = sum * 3u + texel(table, at + 112u); sum = sum * 3u + texel(table, at + 120u);
    }
    if (i < sizes.invocations) {
        output[i] = ((sum.x * 3u + sum.y) * 3u + sum.z) * 3u + sum.w;
    }
}
