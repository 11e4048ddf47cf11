// CUDA only: interleaved_workgroup with its copy in a dynamic shared array, whose size is the third launch argument, as
// in the source article.
// Work: n scalars read.
// Summary: interleaved_workgroup with a shared array whose size the host sets at launch
// Look for: A ratio of 1.00 to interleaved_workgroup, since only the way to set the array's size differs.
// Limits: Instructions, as in interleaved_workgroup: remainders, and subgroups that stay busy for one active lane.

struct Sizes { u32 n; };

constexpr u32 THREADS = 512u;
constexpr u32 SHARED_BYTES = 2048u;
static_assert(SHARED_BYTES == THREADS * sizeof(T), "one element for each thread");

extern "C" __global__ void __launch_bounds__(512)
kernel(const T* __restrict__ input, T* __restrict__ block_sums, const Sizes sizes) {
    extern __shared__ T tile[];
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 i = block * THREADS + t;
    T own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    tile[t] = own;
    __syncthreads();
    for (u32 s = 1u; s < THREADS; s *= 2u) {
        if (t % (2u * s) == 0u) {
            tile[t] += tile[t + s];
        }
        __syncthreads();
    }
    if (t == 0u && i < sizes.n) {
        block_sums[block] = tile[0];
    }
}
