// CUDA only: serial_block_sum, in which every block stores its start and end times. The clock, %globaltimer, counts
// nanoseconds and is shared by all SMs (clock64 counts the cycles of one SM). Its step is 32 ns or 1 µs.
// Work: n scalars read, 3n integer operations; 16 bytes of times per workgroup are not counted.
// Summary: serial_block_sum with a clock read at the start and end of each workgroup: latest end minus earliest start
// Look for: The column in_kernel_ns compared with the median. The difference is the cost of launch, drain and the
// events around the kernel.
// Limits: The loop of serial_block_sum, which the two clock reads do not change.

struct Sizes { u32 n; };

constexpr u32 WG = 256u;

__device__ __forceinline__ T cube(T x) {
    return x * x * x;
}

__device__ __forceinline__ unsigned long long now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) : : "memory");
    return ns;
}

extern "C" __global__ void __launch_bounds__(256)
kernel(const T* __restrict__ input, T* __restrict__ sums, ulonglong2* __restrict__ times, const Sizes sizes) {
    __shared__ T shared_sums[WG];
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 stride = gridDim.x * gridDim.y * WG;
    // Read by thread 0, before any other thread of its block continues.
    unsigned long long start = 0ull;
    if (t == 0u) {
        start = now();
    }
    __syncthreads();
    T own = T();
    for (u32 i = block * WG + t; i < sizes.n; i += stride) {
        own += cube(input[i]);
    }
    shared_sums[t] = own;
    __syncthreads();
    if (t == 0u) {
        T sum = T();
        for (u32 k = 0u; k < WG; k++) {
            sum += shared_sums[k];
        }
        sums[block] = sum;
        // The sum is in memory before the clock is read.
        __threadfence();
        times[block] = make_ulonglong2(start, now());
    }
}
