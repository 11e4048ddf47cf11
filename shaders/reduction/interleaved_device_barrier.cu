// Twin of interleaved_device_barrier.wgsl: the fence has the device's scope, as storageBarrier has in wgpu, and a step
// needs only one barrier.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ block_sums, const Sizes sizes) {
    __shared__ T tile[WG];
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 i = block * WG + t;
    T own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    tile[t] = own;
    __syncthreads();
    for (u32 s = 1u; s < WG; s *= 2u) {
        if (t % (2u * s) == 0u) {
            tile[t] += tile[t + s];
        }
        __threadfence();
        __syncthreads();
    }
    if (t == 0u && i < sizes.n) {
        block_sums[block] = tile[0];
    }
}
