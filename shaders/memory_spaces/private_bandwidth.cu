// Twin of private_bandwidth.wgsl: a local array indexed at run time, which CUDA keeps in local memory, cached by L1.

struct Sizes { u32 invocations; };

constexpr u32 OWN = 32u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    u32 own[OWN];
    for (u32 k = 0u; k < OWN; k++) {
        own[k] = input[(i + k) & 1023u] + i;
    }
    u32 sum = i;
    for (u32 k = 0u; k < ROUNDS; k++) {
        const u32 at = (i + 37u * k) & 15u;
        sum = sum * 3u + own[at]; sum = sum * 3u + own[at + 1u];
        sum = sum * 3u + own[at + 2u]; sum = sum * 3u + own[at + 3u];
        sum = sum * 3u + own[at + 4u]; sum = sum * 3u + own[at + 5u];
        sum = sum * 3u + own[at + 6u]; sum = sum * 3u + own[at + 7u];
        sum = sum * 3u + own[at + 8u]; sum = sum * 3u + own[at + 9u];
        sum = sum * 3u + own[at + 10u]; sum = sum * 3u + own[at + 11u];
        sum = sum * 3u + own[at + 12u]; sum = sum * 3u + own[at + 13u];
        sum = sum * 3u + own[at + 14u]; sum = sum * 3u + own[at + 15u];
    }
    if (i < sizes.invocations) {
        output[i] = sum;
    }
}
