// CUDA only: copies an array from another card's memory with a kernel's loads, 16 bytes per thread.
// Work: n scalars, counted once, as they cross the link.
// Summary: peer_read by a kernel, whose loads cross the link
// Look for: The ratio to peer_read, which shows whether the threads keep enough loads in flight to hide the link's
// latency.
// Limits: Bytes in flight: to fill the link, they must equal its rate times its latency (peer_latency).

struct Sizes { u32 elements; };

extern "C" __global__ void __launch_bounds__(256)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * 256u + threadIdx.x;
    if (i < sizes.elements) {
        output[i] = input[i];
    }
}
