// Twin of immediates.wgsl: the number is an argument of the launch.

struct Own { u32 number; };

constexpr u32 WG = 64u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Own own) {
    output[threadIdx.x] = input[threadIdx.x] * 5u + own.number;
}
