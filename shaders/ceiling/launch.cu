// Twin of launch.wgsl: the same code.

struct Sizes { u32 sign; };

extern "C" __global__ void __launch_bounds__(1)
kernel(u32* __restrict__ output, const Sizes sizes) {
    output[0] = sizes.sign;
}
