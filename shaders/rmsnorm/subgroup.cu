// Twin of subgroup.wgsl: the same code for warps of 32.

struct Sizes { u32 rows, columns; };

// The sum over `width` neighbouring lanes, a power of two of them, in each.
__device__ __forceinline__ float combined(float own, u32 width) {
    float sum = own;
    for (u32 step = 1u; step < width; step *= 2u) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    }
    return sum;
}

__device__ __forceinline__ float added(float4 x) { return (x.x + x.y) + (x.z + x.w); }

// Elements 4v to 4v + 3 of the row that starts at `first`; 0 beyond its end.
__device__ __forceinline__ float4 fetch(
    const float4* __restrict__ input, u32 columns, u32 first, u32 v, u32 end
) {
    if (v >= end) {
        return float4();
    }
    if (columns % 4u == 0u) {
        return input[first / 4u + v];
    }
    const float* __restrict__ elements = reinterpret_cast<const float*>(input) + first + 4u * v;
    const u32 rest = columns - 4u * v;
    return make_float4(
        elements[0], rest > 1u ? elements[1] : 0.0f, rest > 2u ? elements[2] : 0.0f, rest > 3u ? elements[3] : 0.0f
    );
}

// Stores elements that are normalised but for the gains.
__device__ __forceinline__ void put(
    float4* __restrict__ output, u32 columns, u32 first, u32 v, u32 end, float4 normalised,
    const float4* __restrict__ gains
) {
    if (v >= end) {
        return;
    }
    const float4 x = normalised * gains[v];
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
kernel(
    const float4* __restrict__ input, const float4* __restrict__ gains, float4* __restrict__ output, const Sizes sizes
) {
    __shared__ float totals[WG / 32u];
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
    float4 squares = float4();
#pragma unroll
    for (u32 k = 0u; k < VECTORS; k++) {
        squares += x[k] * x[k];
    }
    // What the registers do not hold.
    for (u32 v = own + VECTORS * lanes; v < end; v += 4u * lanes) {
        const float4 a = fetch(input, columns, first, v, end);
        const float4 b = fetch(input, columns, first, v + lanes, end);
        const float4 c = fetch(input, columns, first, v + 2u * lanes, end);
        const float4 d = fetch(input, columns, first, v + 3u * lanes, end);
        squares += (a * a + b * b) + (c * c + d * d);
    }
    __syncwarp();
    float total = combined(added(squares), min(lanes, 32u));
    if (lanes > 32u) {
        if (lane == 0u) {
            totals[t / 32u] = total;
        }
        __syncthreads();
        // The warps of this row, at most 32.
        const u32 count = lanes / 32u;
        const u32 start = t / 32u & ~(count - 1u);
        total = combined(lane < count ? totals[start + lane] : 0.0f, 32u);
    }
    const float factor = rsqrtf(total / static_cast<float>(columns) + 1e-5f);
    if (is_whole) {
#pragma unroll
        for (u32 k = 0u; k < VECTORS; k++) {
            output[first / 4u + own + k * lanes] = x[k] * factor * gains[own + k * lanes];
        }
    } else {
#pragma unroll
        for (u32 k = 0u; k < VECTORS; k++) {
            put(output, columns, first, own + k * lanes, end, x[k] * factor, gains);
        }
    }
    for (u32 v = own + VECTORS * lanes; v < end; v += lanes) {
        put(output, columns, first, v, end, fetch(input, columns, first, v, end) * factor, gains);
    }
}
