// Twin of subgroup.wgsl: a warp per row.

static_assert(WG % 32u == 0u, "a block must be of whole warps");

struct Sizes { u32 rows; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const u32* __restrict__ starts, const u32* __restrict__ columns, const T* __restrict__ values,
    const T* __restrict__ x, T* __restrict__ y, const Sizes sizes) {
    const u32 lane = threadIdx.x % 32u, first = block_index() * (WG / 4u);
    const u32 end = min(first + WG / 4u, sizes.rows);
    for (u32 row = first + threadIdx.x / 32u; row < end; row += WG / 32u) {
        T sum = T();
        const u32 stop = starts[row + 1u];
        for (u32 k = starts[row] + lane; k < stop; k += 32u) {
            sum += values[k] * x[columns[k]];
        }
        sum = subgroup_add<WG>(sum);
        if (lane == 0u) {
            y[row] = sum;
        }
    }
}
