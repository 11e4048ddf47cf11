// CUDA only: copies an array to another card's memory with a kernel's stores, 16 bytes per thread.
// Work: n scalars, counted once, as they cross the link.
// Summary: peer_write by a kernel, whose stores cross the link
// Look for: The ratio to peer_write. If a kernel's stores fill the link as a copy engine does, programs can exchange
// data within their kernels.
// Limits: The link between the cards, and the size of the packets that stores make.

struct Sizes { u32 elements; };

extern "C" __global__ void __launch_bounds__(256)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * 256u + threadIdx.x;
    if (i < sizes.elements) {
        output[i] = input[i];
    }
}
