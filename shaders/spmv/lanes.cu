// Twin of lanes.wgsl: the same code.

static_assert(WG % 32u == 0u, "a block must be of whole warps");

struct Sizes { u32 rows; };

// The product of a nonzero, with 0 from the end of its row on.
__device__ __forceinline__ T product(
    const u32* __restrict__ columns, const T* __restrict__ values, const T* __restrict__ x, u32 k, u32 end) {
    const u32 at = min(k, end - 1u);
    const T factor = values[at] * x[columns[at]];
    return k < end ? factor : T();
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const u32* __restrict__ starts, const u32* __restrict__ columns, const T* __restrict__ values,
    const T* __restrict__ x, T* __restrict__ y, const Sizes sizes) {
    __shared__ u32 bounds[WG + 1u];
    constexpr u32 lanes = LANES < 32u ? LANES : 32u;
    const u32 t = threadIdx.x, own = t % lanes, first = block_index() * WG;
    const u32 rows = min(WG, sizes.rows - min(first, sizes.rows));
    if (t < rows) {
        bounds[t + 1u] = starts[first + t + 1u];
    }
    if (t == 0u) {
        bounds[0] = starts[min(first, sizes.rows)];
    }
    __syncthreads();
    for (u32 part = 0u; part < lanes; part++) {
        const u32 row = (part * WG + t) / lanes;
        T sum = T();
        if (row < rows) {
            const u32 end = bounds[row + 1u];
            T sums[4] = {};
            for (u32 k = bounds[row] + own; k < end; k += 4u * lanes) {
                sums[0] += product(columns, values, x, k, end);
                sums[1] += product(columns, values, x, k + lanes, end);
                sums[2] += product(columns, values, x, k + 2u * lanes, end);
                sums[3] += product(columns, values, x, k + 3u * lanes, end);
            }
            sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
        for (u32 step = 1u; step < lanes; step *= 2u) {
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        }
        if (own == 0u && row < rows) {
            y[first + row] = sum;
        }
    }
}
