// Twin of offset_apart.wgsl: the same code.

struct Sizes { u32 n; };

// Offset of y in the random stream, in elements; a whole number of sectors.
constexpr u32 LEAD = 64u;
constexpr u32 PIECE = 32u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ x, const T* __restrict__ y, T* __restrict__ z, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    const u32 pieces = (sizes.n + PIECE - 1u) / PIECE;
    const u32 even = (pieces + 1u) / 2u;
    const u32 number = i / PIECE;
    const u32 piece = number < even ? 2u * number : 2u * (number - even) + 1u;
    const u32 at = piece * PIECE + i % PIECE + OFFSET;
    if (number < pieces && at < sizes.n) {
        z[at] = x[at] + y[at + LEAD];
    }
    if (i < min(OFFSET, sizes.n)) {
        z[i] = x[i] + y[i + LEAD];
    }
}
