// CUDA only: the kernel of dispatch.cu, launched as nodes of a graph.
// Work: negligible; the host's calls take longer.
// Summary: launch and wait for n dispatches in a CUDA graph created once
// Look for: The ratio to dispatch, which shows the time saved by one call for all launches.
// Limits: The driver's call at size 1; the device's time between two nodes at size 1000.

extern "C" __global__ void __launch_bounds__(64)
kernel(const u32* __restrict__ input, u32* __restrict__ output) {
    output[threadIdx.x] = input[threadIdx.x] * 5u + 1u;
}
