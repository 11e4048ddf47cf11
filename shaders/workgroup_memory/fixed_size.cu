// Twin of fixed_size.wgsl: the same code, with the array in shared memory.

struct Sizes { u32 n; };

constexpr u32 LENGTH = 256u;

extern "C" __global__ void __launch_bounds__(LENGTH)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    __shared__ T tile[LENGTH];
    const u32 t = threadIdx.x;
    const u32 i = block_index() * LENGTH + t;
    T own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    for (u32 k = 0u; k < ROUNDS; k++) {
        tile[t] = own;
        __syncthreads();
        own = tile[(t + 37u) % LENGTH];
        __syncthreads();
    }
    if (i < sizes.n) {
        output[i] = own;
    }
}
