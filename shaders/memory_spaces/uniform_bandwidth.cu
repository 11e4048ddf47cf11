// Twin of uniform_bandwidth.wgsl: the table is in constant memory, filled by the host.

struct Sizes { u32 invocations; };

__constant__ uint4 table[256];

extern "C" __global__ void __launch_bounds__(WG)
kernel(u32* __restrict__ output, const Sizes sizes) {
    const u32 block = block_index();
    const u32 i = block * WG + threadIdx.x;
    uint4 sum = make_uint4(i, i, i, i);
    for (u32 k = 0u; k < ROUNDS; k++) {
        const u32 at = (block + 37u * k) & 127u;
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
        output[i] = ((sum.x * 3u + sum.y) * 3u + sum.z) * 3u + sum.w;
    }
}
