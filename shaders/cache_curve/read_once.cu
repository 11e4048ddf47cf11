// Twin of read_once.wgsl: the same code.

struct Sizes { u32 elements, sums; };

constexpr u32 ROUNDS = 64u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, float* __restrict__ output, const Sizes sizes) {
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 first = block * ROUNDS * WG + t;
    T a = T(), b = T(), c = T(), d = T();
    u32 k = 0u;
    for (; k < ROUNDS && first + (k + 3u) * WG < sizes.elements; k += 4u) {
        const u32 at = first + k * WG;
        a += input[at];
        b += input[at + WG];
        c += input[at + 2u * WG];
        d += input[at + 3u * WG];
    }
    for (; k < ROUNDS && first + k * WG < sizes.elements; k += 1u) {
        a += input[first + k * WG];
    }
    const u32 i = block * WG + t;
    if (i < sizes.sums) {
        const T sum = (a + b) + (c + d);
        output[i] = (sum.x + sum.y) + (sum.z + sum.w);
    }
}
