// Twin of register_bandwidth.wgsl: the same code.

struct Sizes { u32 invocations; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    const u32 at = i & 1023u;
    u32 a = input[at], b = input[at + 1u], c = input[at + 2u], d = input[at + 3u];
    u32 e = input[at + 4u], f = input[at + 5u], g = input[at + 6u], h = input[at + 7u];
    for (u32 k = 0u; k < ROUNDS; k++) {
        a = (a + b) ^ c; b = (b + c) ^ d; c = (c + d) ^ e; d = (d + e) ^ f;
        e = (e + f) ^ g; f = (f + g) ^ h; g = (g + h) ^ a; h = (h + a) ^ b;
        a = (a + b) ^ c; b = (b + c) ^ d; c = (c + d) ^ e; d = (d + e) ^ f;
        e = (e + f) ^ g; f = (f + g) ^ h; g = (g + h) ^ a; h = (h + a) ^ b;
    }
    if (i < sizes.invocations) {
        output[i] = ((a + 3u * b) ^ (c + 3u * d)) + ((e + 3u * f) ^ (g + 3u * h)) + i;
    }
}
