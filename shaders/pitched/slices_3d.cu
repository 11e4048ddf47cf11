// Twin of slices_3d.wgsl: the same code.

struct Sizes { u32 width, height, depth, pitch; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 t = threadIdx.x;
    T sum = T();
    const u32 slice = sizes.pitch * sizes.height;
    for (u32 x = t; x < sizes.width; x += WG) {
        sum += input[blockIdx.y * slice + blockIdx.x * sizes.pitch + x];
    }
    output[(blockIdx.y * sizes.height + blockIdx.x) * WG + t] = sum;
}
