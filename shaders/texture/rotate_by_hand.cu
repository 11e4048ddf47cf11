// Twin of rotate_by_hand.wgsl: the same code. A linear interpolation is a difference and a fused multiply-add per
// component.

struct Sizes { u32 width, height; float cos, sin; };

// `at` wrapped to 0 to length - 1.
__device__ __forceinline__ u32 wrap(int at, int length) {
    const int rest = (at < 0 ? ~at : at) % length;
    return at < 0 ? length - 1 - rest : rest;
}

__device__ __forceinline__ float4 mix(float4 from, float4 to, float part) { return fma(part, to - from, from); }

extern "C" __global__ void __launch_bounds__(16 * 16)
kernel(const u32* __restrict__ image, u32* __restrict__ output, const Sizes sizes) {
    const u32 x = blockIdx.x * 16u + threadIdx.x;
    const u32 y = blockIdx.y * 16u + threadIdx.y;
    if (x >= sizes.width || y >= sizes.height) {
        return;
    }
    // The error is within the 2.5 ULP that WGSL allows a division.
    const float u = __fdividef(float(x), float(sizes.width)) - 0.5f;
    const float v = __fdividef(float(y), float(sizes.height)) - 0.5f;
    const float2 source = make_float2(u * sizes.cos - v * sizes.sin + 0.5f, v * sizes.cos + u * sizes.sin + 0.5f);
    // Pixel centres are at half-integer coordinates.
    const float2 place = make_float2(source.x * float(sizes.width) - 0.5f, source.y * float(sizes.height) - 0.5f);
    const float2 corner = make_float2(floorf(place.x), floorf(place.y));
    const float2 part = place - corner;
    const u32 left = wrap(int(corner.x), int(sizes.width));
    const u32 right = left + 1u == sizes.width ? 0u : left + 1u;
    const u32 upper = wrap(int(corner.y), int(sizes.height));
    const u32 lower = upper + 1u == sizes.height ? 0u : upper + 1u;
    const auto pixel = [&](u32 x, u32 y) { return unpack4x8unorm(image[y * sizes.width + x]); };
    const float4 above = mix(pixel(left, upper), pixel(right, upper), part.x);
    const float4 below = mix(pixel(left, lower), pixel(right, lower), part.x);
    output[y * sizes.width + x] = pack4x8unorm(mix(above, below, part.y));
}
