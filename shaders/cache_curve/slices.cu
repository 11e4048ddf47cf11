// Twin of slices.wgsl: the same code.

struct Sizes { u32 shift, slices, still, sums; };

constexpr u32 WG = 256u;
constexpr u32 ROUNDS = 128u;
constexpr u32 FAR = 389u;

__device__ u32 at(u32 block, u32 k, u32 step, const Sizes& sizes) {
    const u32 slice = (block + (k >> sizes.shift) * step) & (sizes.slices - 1u);
    return (slice << sizes.shift) + (k & ((1u << sizes.shift) - 1u));
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, float* __restrict__ output, const Sizes sizes) {
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 step = ROTATE * FAR + sizes.still;
    T a = T(), b = T(), c = T(), d = T();
    for (u32 k = t; k < ROUNDS * WG; k += 4u * WG) {
        a += input[at(block, k, step, sizes)];
        b += input[at(block, k + WG, step, sizes)];
        c += input[at(block, k + 2u * WG, step, sizes)];
        d += input[at(block, k + 3u * WG, step, sizes)];
    }
    const u32 i = block * WG + t;
    if (i < sizes.sums) {
        const T sum = (a + b) + (c + d);
        output[i] = (sum.x + sum.y) + (sum.z + sum.w);
    }
}
