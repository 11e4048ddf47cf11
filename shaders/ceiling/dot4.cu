// Twin of dot4.wgsl: __dp4a is the packed dot product with the addition, from compute capability 6.1 on.

struct Sizes { u32 elements; };

// Independent chains.
struct Chains { u32 a, b, c, d, e, f, g, h; };

__device__ __forceinline__ Chains one(Chains x, u32 m, u32 p) {
    return {
        __dp4a(x.a, m, p), __dp4a(x.b, m, p), __dp4a(x.c, m, p), __dp4a(x.d, m, p),
        __dp4a(x.e, m, p), __dp4a(x.f, m, p), __dp4a(x.g, m, p), __dp4a(x.h, m, p),
    };
}

__device__ __forceinline__ Chains four(Chains x, u32 m, u32 p) {
    return one(one(one(one(x, m, p), m, p), m, p), m, p);
}

__device__ __forceinline__ Chains sixteen(Chains x, u32 m, u32 p) {
    return four(four(four(four(x, m, p), m, p), m, p), m, p);
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    const u32 at = i & 1023u;
    const u32 m = input[at + 8u];
    const u32 p = input[at + 9u];
    Chains x = {
        input[at], input[at + 1u], input[at + 2u], input[at + 3u],
        input[at + 4u], input[at + 5u], input[at + 6u], input[at + 7u],
    };
    for (u32 k = 0u; k < ROUNDS; k++) {
        x = sixteen(sixteen(x, m, p), m, p);
    }
    if (i < sizes.elements) {
        output[i] = ((x.a + x.b) + (x.c + x.d)) + ((x.e + x.f) + (x.g + x.h));
    }
}
