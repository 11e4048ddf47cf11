// Twin of copy.wgsl: the same code.

struct Sizes { u32 elements; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.elements) {
        output[i] = input[i];
    }
}
