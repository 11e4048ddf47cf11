// Twin of tiled_wide.wgsl.

struct Sizes { u32 rows, columns; };

constexpr u32 SIDE = 64u;
constexpr u32 HALF = 32u;
constexpr u32 PITCH = SIDE + 1u;

// Elements outside of the matrix are never written.
template <bool is_whole>
__device__ __forceinline__ T element(const T* __restrict__ input, u32 x, u32 y, const Sizes& sizes) {
    return is_whole || (x < sizes.columns && y < sizes.rows) ? input[y * sizes.columns + x] : T();
}

// Writes the half, which holds rows from y on, as columns from x on: 64 threads per row, four rows at a time.
template <bool is_whole>
__device__ __forceinline__ void write(T* __restrict__ output, const T* half, u32 column, u32 row, const Sizes& sizes) {
    const u32 x = row + threadIdx.x % SIDE;
#pragma unroll
    for (u32 i = 0u; i < HALF; i += 4u) {
        const u32 k = i + threadIdx.x / SIDE, y = column + k;
        if (is_whole || (x < sizes.rows && y < sizes.columns)) {
            output[y * sizes.rows + x] = half[k * PITCH + threadIdx.x % SIDE];
        }
    }
}

template <bool is_whole>
__device__ __forceinline__ void turn(
    const T* __restrict__ input, T* __restrict__ output, T* half, u32 column, u32 row, const Sizes& sizes) {
    const u32 t = threadIdx.x, x = column + t % HALF, y = row + t / HALF;
    T near[8], far[8];
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        near[k] = element<is_whole>(input, x, y + 8u * k, sizes);
    }
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        far[k] = element<is_whole>(input, x + HALF, y + 8u * k, sizes);
    }
    T* cell = half + t % HALF * PITCH + t / HALF;
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        cell[8u * k] = near[k];
    }
    __syncthreads();
    write<is_whole>(output, half, column, row, sizes);
    __syncthreads();
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        cell[8u * k] = far[k];
    }
    __syncthreads();
    write<is_whole>(output, half, column + HALF, row, sizes);
}

extern "C" __global__ void __launch_bounds__(256)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    __shared__ T half[HALF * PITCH];
    const u32 number = blockIdx.y * gridDim.x + blockIdx.x;
    const u32 column = number / gridDim.y * SIDE, row = number % gridDim.y * SIDE;
    // Tiles that cross no edge are moved without branches.
    if (column + SIDE <= sizes.columns && row + SIDE <= sizes.rows) {
        turn<true>(input, output, half, column, row, sizes);
    } else {
        turn<false>(input, output, half, column, row, sizes);
    }
}
