// Twin of stride.wgsl: the same code.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ x, T* __restrict__ z, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.n) {
        z[i] = x[STRIDE * i];
    }
}
