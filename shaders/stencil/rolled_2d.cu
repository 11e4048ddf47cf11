// Twin of rolled_2d.wgsl: where the width is no multiple of four, CUDA accesses the arrays as scalars (WGSL selects
// vector components).

struct Sizes { u32 rows, columns; };

// Four cells of a row; of the last one where there is no such row.
__device__ __forceinline__ vec4<T> four(const vec4<T>* __restrict__ input, Sizes sizes, u32 x, u32 y) {
    return input[min(y, sizes.rows - 1u) * (sizes.columns / 4u) + x];
}

// The cells to the left and to the right of four cells; any cell where there is none.
__device__ __forceinline__ float2 beside(const vec4<T>* __restrict__ input, Sizes sizes, u32 x, u32 y) {
    const T* row = reinterpret_cast<const T*>(input) + min(y, sizes.rows - 1u) * sizes.columns;
    return make_float2(row[max(4u * x, 1u) - 1u], row[min(4u * x + 4u, sizes.columns - 1u)]);
}

__device__ __forceinline__ void put(
    vec4<T>* output, Sizes sizes, u32 x, u32 y, vec4<T> above, vec4<T> own, vec4<T> below, float2 beside) {
    const vec4<T> left = {beside.x, own.x, own.y, own.z}, right = {own.y, own.z, own.w, beside.y};
    vec4<T> next = T(0.5) * own + T(0.125) * ((left + right) + (above + below));
    if (x == 0u) {
        next.x = own.x;
    }
    if (4u * x + 4u == sizes.columns) {
        next.w = own.w;
    }
    if (y == 0u || y + 1u == sizes.rows) {
        next = own;
    }
    output[y * (sizes.columns / 4u) + x] = next;
}

// Columns 4x to 4x + 3 of rows `first` to `end` - 1.
__device__ __forceinline__ void walk(
    const vec4<T>* __restrict__ input, vec4<T>* output, Sizes sizes, u32 x, u32 first, u32 end) {
    vec4<T> above = four(input, sizes, x, max(first, 1u) - 1u);
    vec4<T> own = four(input, sizes, x, first);
    for (u32 y = first; y < end; y += 4u) {
        vec4<T> next[4];
        float2 sides[4];
#pragma unroll
        for (u32 k = 0u; k < 4u; k++) {
            next[k] = four(input, sizes, x, y + k + 1u);
            sides[k] = beside(input, sizes, x, y + k);
        }
#pragma unroll
        for (u32 k = 0u; k < 4u; k++) {
            if (y + k < end) {
                put(output, sizes, x, y + k, above, own, next[k], sides[k]);
            }
            above = own;
            own = next[k];
        }
    }
}

// Column x of rows `first` to `end` - 1.
__device__ __forceinline__ void walk_scalars(
    const T* __restrict__ input, T* output, Sizes sizes, u32 x, u32 first, u32 end) {
    const u32 pitch = sizes.columns;
    const bool is_inner = x > 0u && x + 1u < pitch;
    T above = input[(max(first, 1u) - 1u) * pitch + x];
    T own = input[first * pitch + x];
    for (u32 y = first; y < end; y++) {
        const T below = input[min(y + 1u, sizes.rows - 1u) * pitch + x];
        const u32 i = y * pitch + x;
        T next = own;
        if (is_inner && y > 0u && y + 1u < sizes.rows) {
            next = T(0.5) * own + T(0.125) * ((input[i - 1u] + input[i + 1u]) + (above + below));
        }
        output[i] = next;
        above = own;
        own = below;
    }
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const vec4<T>* __restrict__ input, vec4<T>* __restrict__ output, const Sizes sizes) {
    const u32 first = blockIdx.y * ROWS, end = min(first + ROWS, sizes.rows);
    if (sizes.columns % 4u == 0u) {
        const u32 x = blockIdx.x * WG + threadIdx.x;
        if (x < sizes.columns / 4u) {
            walk(input, output, sizes, x, first, end);
        }
    } else {
        for (u32 k = 0u; k < 4u; k++) {
            const u32 x = (4u * blockIdx.x + k) * WG + threadIdx.x;
            if (x < sizes.columns) {
                walk_scalars(
                    reinterpret_cast<const T*>(input), reinterpret_cast<T*>(output), sizes, x, first, end);
            }
        }
    }
}
