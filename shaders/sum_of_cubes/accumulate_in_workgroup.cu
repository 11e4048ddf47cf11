// Twin of accumulate_in_workgroup.wgsl: the same code. The compiler may keep the sum in a register: the array is not
// volatile in the article either.

struct Sizes { u32 n; };

__device__ __forceinline__ T cube(T x) {
    return x * x * x;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ sums, const Sizes sizes) {
    __shared__ T shared_sums[WG];
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 stride = gridDim.x * gridDim.y * WG;
    shared_sums[t] = T();
    for (u32 i = block * WG + t; i < sizes.n; i += stride) {
        shared_sums[t] += cube(input[i]);
    }
    __syncthreads();
    if (t == 0u) {
        T sum = T();
        for (u32 k = 0u; k < WG; k++) {
            sum += shared_sums[k];
        }
        sums[block] = sum;
    }
}
