// Twin of private_latency.wgsl: a local array indexed at run time, which CUDA keeps in local memory, cached by L1.

struct Sizes { u32 shift, places; };

constexpr u32 PLACES = 256u;

extern "C" __global__ void __launch_bounds__(1)
kernel(const u32* __restrict__ cycle, u32* __restrict__ output, const Sizes sizes) {
    u32 own[PLACES];
    for (u32 k = 0u; k < sizes.places; k++) {
        own[(k + sizes.shift) % PLACES] = (cycle[k] + sizes.shift) % PLACES;
    }
    u32 at = sizes.shift;
    for (u32 k = 0u; k < STEPS; k += 16u) {
        at = own[at]; at = own[at]; at = own[at]; at = own[at];
        at = own[at]; at = own[at]; at = own[at]; at = own[at];
        at = own[at]; at = own[at]; at = own[at]; at = own[at];
        at = own[at]; at = own[at]; at = own[at]; at = own[at];
    }
    if (blockIdx.x == 0u) {
        output[0] = at;
    }
}
