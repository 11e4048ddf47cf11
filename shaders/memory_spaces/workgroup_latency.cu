// Twin of workgroup_latency.wgsl: the same code with shared memory.

struct Sizes { u32 shift; };

constexpr u32 FILLERS = 64u;
constexpr u32 PLACES = 1024u;

extern "C" __global__ void __launch_bounds__(FILLERS)
kernel(const u32* __restrict__ cycle, u32* __restrict__ output, const Sizes sizes) {
    __shared__ u32 table[PLACES];
    const u32 t = threadIdx.x;
    for (u32 k = t; k < PLACES; k += FILLERS) {
        table[k] = cycle[k];
    }
    __syncthreads();
    if (t == 0u && blockIdx.x == 0u) {
        u32 at = 0u;
        for (u32 k = 0u; k < STEPS; k += 16u) {
            at = table[at]; at = table[at]; at = table[at]; at = table[at];
            at = table[at]; at = table[at]; at = table[at]; at = table[at];
            at = table[at]; at = table[at]; at = table[at]; at = table[at];
            at = table[at]; at = table[at]; at = table[at]; at = table[at];
        }
        output[0] = at + sizes.shift;
    }
}
