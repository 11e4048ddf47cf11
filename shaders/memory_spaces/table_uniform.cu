// Twin of table_uniform.wgsl: the table is constant memory, filled by the host. CUDA needs no stride of 16 bytes there.

struct Sizes { u32 invocations, shift; };

__constant__ u32 table[64];

extern "C" __global__ void __launch_bounds__(WG)
kernel(u32* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    const u32 first = (EACH == 1u ? i : 0u) + sizes.shift;
    u32 sum = i;
    for (u32 k = 0u; k < ROUNDS; k++) {
        const u32 at = (first + 37u * k) & 31u;
        sum = sum * 3u + table[at]; sum = sum * 3u + table[at + 2u];
        sum = sum * 3u + table[at + 4u]; sum = sum * 3u + table[at + 6u];
        sum = sum * 3u + table[at + 8u]; sum = sum * 3u + table[at + 10u];
        sum = sum * 3u + table[at + 12u]; sum = sum * 3u + table[at + 14u];
        sum = sum * 3u + table[at + 16u]; sum = sum * 3u + table[at + 18u];
        sum = sum * 3u + table[at + 20u]; sum = sum * 3u + table[at + 22u];
        sum = sum * 3u + table[at + 24u]; sum = sum * 3u + table[at + 26u];
        sum = sum * 3u + table[at + 28u]; sum = sum * 3u + table[at + 30u];
    }
    if (i < sizes.invocations) {
        output[i] = sum;
    }
}
