// Twin of bandwidth.wgsl: the same code.

struct Sizes { u32 mask, sums; };

constexpr u32 ROUNDS = 64u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, float* __restrict__ output, const Sizes sizes) {
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 first = block * ROUNDS * WG + t;
    T a = T(), b = T(), c = T(), d = T();
    for (u32 k = 0u; k < ROUNDS; k += 4u) {
        const u32 at = first + k * WG;
        a += input[at & sizes.mask];
        b += input[(at + WG) & sizes.mask];
        c += input[(at + 2u * WG) & sizes.mask];
        d += input[(at + 3u * WG) & sizes.mask];
    }
    const u32 i = block * WG + t;
    if (i < sizes.sums) {
        const T sum = (a + b) + (c + d);
        output[i] = (sum.x + sum.y) + (sum.z + sum.w);
    }
}
