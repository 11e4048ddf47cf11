// Twin of offset_reads.wgsl: the same code.

struct Sizes { u32 n; };

// Offset of y in the random stream, in elements; a whole number of sectors.
constexpr u32 LEAD = 64u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ x, const T* __restrict__ y, T* __restrict__ z, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    const u32 at = i + OFFSET;
    if (i < sizes.n) {
        z[i] = x[at] + y[at + LEAD];
    }
}
