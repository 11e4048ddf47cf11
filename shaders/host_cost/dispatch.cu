// Twin of dispatch.wgsl: the same code.

constexpr u32 WG = 64u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* __restrict__ output) {
    output[threadIdx.x] = input[threadIdx.x] * 5u + 1u;
}
