// Twin of pipeline_first.wgsl: the same code.

struct Sizes { u32 is_asked; };

constexpr u32 WG = 64u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    output[threadIdx.x] = sizes.is_asked == 1u ? NONCE : input[threadIdx.x] * 5u + 1u;
}
