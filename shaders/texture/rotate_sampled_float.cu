// Twin of rotate_sampled_float.wgsl: the texture object includes the sampler.

struct Sizes { u32 width, height; float cos, sin; };

extern "C" __global__ void __launch_bounds__(16 * 16)
kernel(const cudaTextureObject_t image, float* __restrict__ output, const Sizes sizes) {
    const u32 x = blockIdx.x * 16u + threadIdx.x;
    const u32 y = blockIdx.y * 16u + threadIdx.y;
    if (x >= sizes.width || y >= sizes.height) {
        return;
    }
    // The error is within the 2.5 ULP that WGSL allows a division.
    const float u = __fdividef(float(x), float(sizes.width)) - 0.5f;
    const float v = __fdividef(float(y), float(sizes.height)) - 0.5f;
    const float2 source = make_float2(u * sizes.cos - v * sizes.sin + 0.5f, v * sizes.cos + u * sizes.sin + 0.5f);
    output[y * sizes.width + x] = tex2D<float>(image, source.x, source.y);
}
