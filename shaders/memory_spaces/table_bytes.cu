// Twin of table_bytes.wgsl: the table is an array of bytes in constant memory, filled by the host.

struct Sizes { u32 invocations, shift; };

__constant__ unsigned char table[256];

extern "C" __global__ void __launch_bounds__(WG)
kernel(u32* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    const u32 first = (EACH == 1u ? i : 0u) + sizes.shift;
    u32 sum = i;
    for (u32 k = 0u; k < ROUNDS; k++) {
        const u32 at = (first + 37u * k) & 127u;
        sum = sum * 3u + table[at]; sum = sum * 3u + table[at + 8u];
        sum = sum * 3u + table[at + 16u]; sum = sum * 3u + table[at + 24u];
        sum = sum * 3u + table[at + 32u]; sum = sum * 3u + table[at + 40u];
        sum = sum * 3u + table[at + 48u]; sum = sum * 3u + table[at + 56u];
        sum = sum * 3u + table[at + 64u]; sum = sum * 3u + table[at + 72u];
        sum = sum * 3u + table[at + 80u]; sum = sum * 3u + table[at + 88u];
        sum = sum * 3u + table[at + 96u]; sum = sum * 3u + table[at + 104u];
        sum = sum * 3u + table[at + 112u]; sum = sum * 3u + table[at + 120u];
    }
    if (i < sizes.invocations) {
        output[i] = sum;
    }
}
