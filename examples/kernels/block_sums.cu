// Sums of blocks of the input, by a template over the threads of a block.

template <u32 THREADS>
__global__ void block_sum(const float* input, float* sums) {
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[blockIdx.x * THREADS + threadIdx.x];
    __syncthreads();
    for (u32 apart = THREADS / 2; apart > 0; apart /= 2) {
        if (threadIdx.x < apart) {
            tile[threadIdx.x] += tile[threadIdx.x + apart];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = tile[0];
    }
}
