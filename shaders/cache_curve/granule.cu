// Twin of granule.wgsl: the same code.

struct Sizes { u32 places, steps, zero; };

constexpr u32 BLOCK = 64u;

__device__ u32 after(const u32* __restrict__ cycle, u32 at, u32 zero) {
    const u32 next = cycle[at * BLOCK];
    return next + cycle[at * BLOCK + APART / 4u + (next & zero)];
}

extern "C" __global__ void __launch_bounds__(1)
kernel(const u32* __restrict__ cycle, u32* __restrict__ place, u32* __restrict__ output, const Sizes sizes) {
    const u32 first = place[0] % sizes.places;
    u32 at = first;
    for (u32 k = 0u; k < sizes.steps; k += 8u) {
        at = after(cycle, at, sizes.zero); at = after(cycle, at, sizes.zero);
        at = after(cycle, at, sizes.zero); at = after(cycle, at, sizes.zero);
        at = after(cycle, at, sizes.zero); at = after(cycle, at, sizes.zero);
        at = after(cycle, at, sizes.zero); at = after(cycle, at, sizes.zero);
    }
    if (blockIdx.x == 0u) {
        place[0] = at;
        output[0] = cycle[at * BLOCK + 1u] ^ cycle[first * BLOCK + 3u];
    }
}
