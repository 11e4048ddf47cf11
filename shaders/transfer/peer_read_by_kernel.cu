// CUDA only: copies an array from the memory of another card by a kernel's loads, 16 bytes per thread.
// Work: n scalars, counted once, as they cross the link.
// Summary: peer_read by a kernel, whose loads cross the link
// Look for: The ratio to peer_read. Loads wait for answers: it shows whether the threads keep enough of them in flight.
// Limits: Requests in flight on the link: its latency (peer_latency) times its rate.

struct Sizes { u32 elements; };

extern "C" __global__ void __launch_bounds__(256)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * 256u + threadIdx.x;
    if (i < sizes.elements) {
        output[i] = input[i];
    }
}
