// CUDA alone: the kernel of dispatch.cu, launched as nodes of a graph.

extern "C" __global__ void __launch_bounds__(64)
kernel(const u32* __restrict__ input, u32* __restrict__ output) {
    output[threadIdx.x] = input[threadIdx.x] * 5u + 1u;
}
