// Twin of zero_init.wgsl: the same code. CUDA does not zero shared memory; with ZEROING = 1 the kernel does.

struct Sizes { u32 n, page; };

constexpr u32 WG = 256u;
constexpr u32 WORDS = 4096u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    __shared__ T block[WORDS];
    const u32 t = threadIdx.x;
    const u32 number = block_index();
    const u32 page = (number + sizes.page) % (WORDS / WG) * WG;
    const u32 i = number * WG + t;
    if (ZEROING == 1u) {
        // No other thread writes these words: the barrier below is enough.
        for (u32 k = t; k < WORDS; k += WG) {
            block[k] = 0u;
        }
    }
    T own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    block[page + t] = own;
    __syncthreads();
    const u32 other = (t + 37u) % WG;
    if (i < sizes.n) {
        output[i] = block[page + other];
    }
}
