// Twin of fma.wgsl: WGSL's select is a conditional expression for each vector component.

struct Sizes { u32 elements; };

// Independent chains.
struct Chains { T a, b, c, d, e, f, g, h; };

__device__ __forceinline__ Chains one(Chains x, T m) {
    return {
        fma(x.a, m, m), fma(x.b, m, m), fma(x.c, m, m), fma(x.d, m, m),
        fma(x.e, m, m), fma(x.f, m, m), fma(x.g, m, m), fma(x.h, m, m),
    };
}

__device__ __forceinline__ Chains four(Chains x, T m) {
    return one(one(one(one(x, m), m), m), m);
}

__device__ __forceinline__ Chains sixteen(Chains x, T m) {
    return four(four(four(four(x, m), m), m), m);
}

// 1 where a component is positive, -1 elsewhere.
__device__ __forceinline__ float sign(float x) { return x > 0.0f ? 1.0f : -1.0f; }
__device__ __forceinline__ double sign(double x) { return x > 0.0 ? 1.0 : -1.0; }
__device__ __forceinline__ float2 sign(float2 x) { return make_float2(sign(x.x), sign(x.y)); }
__device__ __forceinline__ float4 sign(float4 x) { return make_float4(sign(x.x), sign(x.y), sign(x.z), sign(x.w)); }

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    const u32 at = i & 1023u;
    const T m = sign(input[at + 8u]);
    Chains x = {
        input[at], input[at + 1u], input[at + 2u], input[at + 3u],
        input[at + 4u], input[at + 5u], input[at + 6u], input[at + 7u],
    };
    for (u32 k = 0u; k < ROUNDS; k++) {
        x = sixteen(sixteen(x, m), m);
    }
    if (i < sizes.elements) {
        output[i] = ((x.a + x.b) + (x.c + x.d)) + ((x.e + x.f) + (x.g + x.h));
    }
}
