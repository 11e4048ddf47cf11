// Twin of fill.wgsl: the same code.

struct Sizes { u32 elements, base; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(T* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.elements) {
        output[i] = splat<T>(float(sizes.base + (i & 1023u)));
    }
}
