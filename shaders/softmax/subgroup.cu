// Twin of subgroup.wgsl: the same code for warps of 32, with the fast exponential, whose error WGSL allows too.

struct Sizes { u32 rows, columns; };

#define LOWEST (-3.402823466e38f)

// A maximum, and a sum of exponentials less that maximum.
struct Total { float top, sum; };

__device__ __forceinline__ float largest(float4 x) { return fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)); }

// The sum of the exponentials of four differences.
__device__ __forceinline__ float powers(float4 x, float top) {
    return (__expf(x.x - top) + __expf(x.y - top)) + (__expf(x.z - top) + __expf(x.w - top));
}

__device__ __forceinline__ float4 quotients(float4 x, const Total& total, float factor) {
    return make_float4(
        __expf(x.x - total.top) * factor, __expf(x.y - total.top) * factor,
        __expf(x.z - total.top) * factor, __expf(x.w - total.top) * factor
    );
}

// Totals of `width` neighbouring lanes, a power of two of them, combined in each.
__device__ __forceinline__ Total combined(Total own, u32 width) {
    float top = own.top;
    for (u32 step = 1u; step < width; step *= 2u) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
    }
    float sum = own.sum * __expf(own.top - top);
    for (u32 step = 1u; step < width; step *= 2u) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    }
    return {top, sum};
}

// Elements 4v to 4v + 3 of the row that starts at `first`; LOWEST beyond its end.
__device__ __forceinline__ float4 fetch(
    const float4* __restrict__ input, u32 columns, u32 first, u32 v, u32 end
) {
    if (v >= end) {
        return make_float4(LOWEST, LOWEST, LOWEST, LOWEST);
    }
    if (columns % 4u == 0u) {
        return input[first / 4u + v];
    }
    const float* __restrict__ elements = reinterpret_cast<const float*>(input) + first + 4u * v;
    const u32 rest = columns - 4u * v;
    return make_float4(
        elements[0], rest > 1u ? elements[1] : LOWEST,
        rest > 2u ? elements[2] : LOWEST, rest > 3u ? elements[3] : LOWEST
    );
}

__device__ __forceinline__ void put(float4* __restrict__ output, u32 columns, u32 first, u32 v, u32 end, float4 x) {
    if (v >= end) {
        return;
    }
    if (columns % 4u == 0u) {
        output[first / 4u + v] = x;
        return;
    }
    float* __restrict__ elements = reinterpret_cast<float*>(output) + first + 4u * v;
    const u32 rest = columns - 4u * v;
    elements[0] = x.x;
    if (rest > 1u) { elements[1] = x.y; }
    if (rest > 2u) { elements[2] = x.z; }
    if (rest > 3u) { elements[3] = x.w; }
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const float4* __restrict__ input, float4* __restrict__ output, const Sizes sizes) {
    __shared__ Total totals[WG / 32u];
    const u32 t = threadIdx.x;
    const u32 lane = t % 32u;
    const u32 columns = sizes.columns;
    const u32 width = (columns + 3u) / 4u;
    // Lanes of a row, a power of two.
    u32 lanes = 1u;
    while (lanes * VECTORS < width && lanes < WG) {
        lanes *= 2u;
    }
    const u32 bits = __ffs(lanes) - 1;
    const u32 row = block_index() * (WG >> bits) + (t >> bits);
    const u32 own = t & (lanes - 1u);
    const u32 end = row < sizes.rows ? width : 0u;
    const u32 first = row * columns;
    const bool is_whole = columns % 4u == 0u && own + (VECTORS - 1u) * lanes < end;

    float4 x[VECTORS];
    if (is_whole) {
#pragma unroll
        for (u32 k = 0u; k < VECTORS; k++) {
            x[k] = input[first / 4u + own + k * lanes];
        }
    } else {
#pragma unroll
        for (u32 k = 0u; k < VECTORS; k++) {
            x[k] = fetch(input, columns, first, own + k * lanes, end);
        }
    }
    Total total = {largest(x[0]), 0.0f};
#pragma unroll
    for (u32 k = 1u; k < VECTORS; k++) {
        total.top = fmaxf(total.top, largest(x[k]));
    }
#pragma unroll
    for (u32 k = 0u; k < VECTORS; k++) {
        total.sum += powers(x[k], total.top);
    }
    // What the registers do not hold.
    for (u32 v = own + VECTORS * lanes; v < end; v += 4u * lanes) {
        const float4 a = fetch(input, columns, first, v, end);
        const float4 b = fetch(input, columns, first, v + lanes, end);
        const float4 c = fetch(input, columns, first, v + 2u * lanes, end);
        const float4 d = fetch(input, columns, first, v + 3u * lanes, end);
        const float most = fmaxf(fmaxf(largest(a), largest(b)), fmaxf(largest(c), largest(d)));
        const float top = fmaxf(total.top, most);
        const float more = (powers(a, top) + powers(b, top)) + (powers(c, top) + powers(d, top));
        total = {top, total.sum * __expf(total.top - top) + more};
    }
    __syncwarp();
    total = combined(total, min(lanes, 32u));
    if (lanes > 32u) {
        if (lane == 0u) {
            totals[t / 32u] = total;
        }
        __syncthreads();
        // The warps of this row, at most 32.
        const u32 count = lanes / 32u;
        const u32 start = t / 32u & ~(count - 1u);
        total = combined(lane < count ? totals[start + lane] : Total{LOWEST, 0.0f}, 32u);
    }
    const float factor = 1.0f / total.sum;
    if (is_whole) {
#pragma unroll
        for (u32 k = 0u; k < VECTORS; k++) {
            output[first / 4u + own + k * lanes] = quotients(x[k], total, factor);
        }
    } else {
#pragma unroll
        for (u32 k = 0u; k < VECTORS; k++) {
            put(output, columns, first, own + k * lanes, end, quotients(x[k], total, factor));
        }
    }
    for (u32 v = own + VECTORS * lanes; v < end; v += lanes) {
        put(output, columns, first, v, end, quotients(fetch(input, columns, first, v, end), total, factor));
    }
}
