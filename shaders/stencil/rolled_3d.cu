// Twin of rolled_3d.wgsl: where the width is no multiple of four, CUDA accesses the arrays as scalars (WGSL selects
// vector components).

struct Sizes { u32 depth, height, width; };

// Four cells of a row; of the last slice where there is no such slice.
__device__ __forceinline__ vec4<T> four(const vec4<T>* __restrict__ input, Sizes sizes, u32 x, u32 y, u32 z) {
    return input[(min(z, sizes.depth - 1u) * sizes.height + y) * (sizes.width / 4u) + x];
}

// The cells to the left and to the right of four cells; any cell where there is none.
__device__ __forceinline__ float2 beside(const vec4<T>* __restrict__ input, Sizes sizes, u32 x, u32 y, u32 z) {
    const T* row = reinterpret_cast<const T*>(input) + (min(z, sizes.depth - 1u) * sizes.height + y) * sizes.width;
    return make_float2(row[max(4u * x, 1u) - 1u], row[min(4u * x + 4u, sizes.width - 1u)]);
}

// The sum of the cells above and below four cells; any cells where there are none.
__device__ __forceinline__ vec4<T> rows(const vec4<T>* __restrict__ input, Sizes sizes, u32 x, u32 y, u32 z) {
    return four(input, sizes, x, max(y, 1u) - 1u, z) + four(input, sizes, x, min(y + 1u, sizes.height - 1u), z);
}

__device__ __forceinline__ void put(
    vec4<T>* output, Sizes sizes, u32 x, u32 y, u32 z, vec4<T> own, vec4<T> others, float2 beside) {
    const vec4<T> left = {beside.x, own.x, own.y, own.z}, right = {own.y, own.z, own.w, beside.y};
    vec4<T> next = T(0.25) * own + T(0.125) * ((left + right) + others);
    if (x == 0u) {
        next.x = own.x;
    }
    if (4u * x + 4u == sizes.width) {
        next.w = own.w;
    }
    if (y == 0u || z == 0u || y + 1u == sizes.height || z + 1u == sizes.depth) {
        next = own;
    }
    output[(z * sizes.height + y) * (sizes.width / 4u) + x] = next;
}

// Cells 4x to 4x + 3 of row y of slices `first` to `end` - 1.
__device__ __forceinline__ void walk(
    const vec4<T>* __restrict__ input, vec4<T>* output, Sizes sizes, u32 x, u32 y, u32 first, u32 end) {
    vec4<T> before = four(input, sizes, x, y, max(first, 1u) - 1u);
    vec4<T> own = four(input, sizes, x, y, first);
    for (u32 z = first; z < end; z += 2u) {
        vec4<T> next[2], above_and_below[2];
        float2 sides[2];
#pragma unroll
        for (u32 k = 0u; k < 2u; k++) {
            next[k] = four(input, sizes, x, y, z + k + 1u);
            sides[k] = beside(input, sizes, x, y, z + k);
            above_and_below[k] = rows(input, sizes, x, y, z + k);
        }
#pragma unroll
        for (u32 k = 0u; k < 2u; k++) {
            if (z + k < end) {
                put(output, sizes, x, y, z + k, own, above_and_below[k] + (before + next[k]), sides[k]);
            }
            before = own;
            own = next[k];
        }
    }
}

// Cell x of row y of slices `first` to `end` - 1.
__device__ __forceinline__ void walk_scalars(
    const T* __restrict__ input, T* output, Sizes sizes, u32 x, u32 y, u32 first, u32 end) {
    const u32 row = sizes.width, slice = row * sizes.height, at = y * row + x;
    const bool is_inner = x > 0u && x + 1u < sizes.width && y > 0u && y + 1u < sizes.height;
    T before = input[(max(first, 1u) - 1u) * slice + at];
    T own = input[first * slice + at];
    for (u32 z = first; z < end; z++) {
        const T after = input[min(z + 1u, sizes.depth - 1u) * slice + at];
        const u32 i = z * slice + at;
        T next = own;
        if (is_inner && z > 0u && z + 1u < sizes.depth) {
            const T around = (input[i - 1u] + input[i + 1u]) + (input[i - row] + input[i + row]);
            next = T(0.25) * own + T(0.125) * (around + (before + after));
        }
        output[i] = next;
        before = own;
        own = after;
    }
}

extern "C" __global__ void __launch_bounds__(32 * 8)
kernel(const vec4<T>* __restrict__ input, vec4<T>* __restrict__ output, const Sizes sizes) {
    const u32 first = blockIdx.z * SLICES, end = min(first + SLICES, sizes.depth);
    const u32 y = blockIdx.y * 8u + threadIdx.y;
    if (y >= sizes.height) {
        return;
    }
    if (sizes.width % 4u == 0u) {
        const u32 x = blockIdx.x * 32u + threadIdx.x;
        if (x < sizes.width / 4u) {
            walk(input, output, sizes, x, y, first, end);
        }
    } else {
        for (u32 k = 0u; k < 4u; k++) {
            const u32 x = (4u * blockIdx.x + k) * 32u + threadIdx.x;
            if (x < sizes.width) {
                walk_scalars(
                    reinterpret_cast<const T*>(input), reinterpret_cast<T*>(output), sizes, x, y, first, end);
            }
        }
    }
}
