// CUDA only: storage_latency, but each loaded value is the next address. WGSL cannot store pointers and must compute an
// address from every index. The kernel first converts the indices to 8 KiB of addresses.
// Work: STEPS dependent loads, each counted as 4 bytes, although an address has 8.
// Summary: storage_latency with stored addresses instead of indices
// Look for: The difference from storage_latency: the cost per step of turning an index into an address (a shift and a
// 64-bit addition).
// Limits: The hit latency of the cache, since 8 KiB of addresses still fit in it.

struct Sizes { u32 shift, places; };

// Loads the address at `at`. Inline PTX, since the compiler cannot know that `at` is in global memory.
__device__ __forceinline__ unsigned long long loaded(unsigned long long at) {
    unsigned long long next;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    return next;
}

extern "C" __global__ void __launch_bounds__(1)
kernel(const u32* __restrict__ cycle, unsigned long long* addresses, u32* __restrict__ output, const Sizes sizes) {
    const unsigned long long first = __cvta_generic_to_global(addresses);
    for (u32 k = 0u; k < sizes.places; k++) {
        addresses[k] = first + 8ull * cycle[k];
    }
    __syncthreads();
    unsigned long long at = first;
    for (u32 k = 0u; k < STEPS; k += 16u) {
        at = loaded(at); at = loaded(at); at = loaded(at); at = loaded(at);
        at = loaded(at); at = loaded(at); at = loaded(at); at = loaded(at);
        at = loaded(at); at = loaded(at); at = loaded(at); at = loaded(at);
        at = loaded(at); at = loaded(at); at = loaded(at); at = loaded(at);
    }
    if (blockIdx.x == 0u) {
        output[0] = u32((at - first) / 8ull) + sizes.shift;
    }
}
