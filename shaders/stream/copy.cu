// Twin of copy.wgsl: the same code.

struct Sizes { u32 elements, scalar; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ a, T* __restrict__ c, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.elements) {
        c[i] = a[i];
    }
}
