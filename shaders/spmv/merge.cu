// Twin of merge.wgsl.

struct Sizes { u32 rows, nonzeros, tiles, kernel; };

constexpr u32 EACH = 8u, FIND = 0u, MULTIPLY = 1u;

// The row at a position of a path of nonzeros and row ends: as many rows end before it. `end` counts nonzeros up to the end of a row.
template <typename End> __device__ __forceinline__ u32 row_at(u32 position, u32 rows, u32 nonzeros, End end) {
    u32 low = position - min(position, nonzeros), high = min(position, rows);
    while (low < high) {
        const u32 middle = (low + high) / 2u;
        if (end(middle) + middle < position) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const u32* __restrict__ starts, const u32* __restrict__ columns, const T* __restrict__ values,
    const T* __restrict__ x, T* y, u32* corners, T* carries, const Sizes sizes) {
    // The products of a tile.
    __shared__ T products[EACH * WG];
    // The ends of its rows as counts of its nonzeros.
    __shared__ u32 row_ends[EACH * WG];
    // For each thread, the sum of the row in which it ends.
    __shared__ T sums[WG];
    __shared__ u32 ends[WG];
    const u32 t = threadIdx.x, tile = block_index(), at = tile * WG + t;
    if (sizes.kernel == FIND) {
        if (at <= sizes.tiles) {
            const u32 position = min(at * EACH * WG, sizes.rows + sizes.nonzeros);
            corners[at] = row_at(position, sizes.rows, sizes.nonzeros, [=](u32 k) { return starts[k + 1u]; });
        }
        return;
    }
    if (sizes.kernel != MULTIPLY) {
        // The first of the tiles that end in a row adds what all of them have.
        if (at < sizes.tiles) {
            const u32 row = corners[at + 1u];
            if (row < sizes.rows && (at == 0u || corners[at] != row)) {
                T sum = T();
                for (u32 k = at; k < sizes.tiles && corners[k + 1u] == row; k++) {
                    sum += carries[k];
                }
                y[row] += sum;
            }
        }
        return;
    }
    if (tile >= sizes.tiles) {
        return;
    }
    const u32 from = tile * EACH * WG, upto = min(from + EACH * WG, sizes.rows + sizes.nonzeros);
    const u32 row = corners[tile], rows = corners[tile + 1u] - row;
    const u32 nonzero = from - row, nonzeros = upto - from - rows;
#pragma unroll
    for (u32 step = 0u; step < EACH; step++) {
        const u32 k = step * WG + t;
        if (k < nonzeros) {
            products[k] = values[nonzero + k] * x[columns[nonzero + k]];
        }
    }
    for (u32 k = t; k < rows; k += WG) {
        row_ends[k] = starts[row + k + 1u] - nonzero;
    }
    __syncthreads();
    // Where this thread starts on the path of the tile.
    const u32 first = min(t * EACH, rows + nonzeros);
    u32 low = row_at(first, rows, nonzeros, [&](u32 k) { return row_ends[k]; });
    // The first row that ends here needs what the threads before have of it.
    const u32 own = low;
    T sum = T(), sum_of_own = T();
    for (u32 k = first; k < min(first + EACH, rows + nonzeros); k++) {
        if (low < rows && row_ends[low] + low <= k) {
            if (low == own) {
                sum_of_own = sum;
            } else {
                y[row + low] = sum;
            }
            sum = T();
            low++;
        } else {
            sum += products[k - low];
        }
    }
    // Sums over the threads that end in the same row: neighbours.
    sums[t] = sum;
    ends[t] = low;
    __syncthreads();
    for (u32 s = 1u; s < WG; s *= 2u) {
        const T before = t >= s && ends[t - s] == low ? sums[t - s] : T();
        __syncthreads();
        sum += before;
        sums[t] = sum;
        __syncthreads();
    }
    if (own < low) {
        if (t > 0u) {
            sum_of_own += sums[t - 1u];
        }
        y[row + own] = sum_of_own;
    }
    if (t == WG - 1u) {
        carries[tile] = sum;
    }
}
