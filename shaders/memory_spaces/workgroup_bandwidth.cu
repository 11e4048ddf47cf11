// Twin of workgroup_bandwidth.wgsl: the same code with shared memory.

struct Sizes { u32 invocations; };

constexpr u32 TABLE = 256u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const uint4* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    __shared__ uint4 table[TABLE];
    const u32 t = threadIdx.x;
    for (u32 k = t; k < TABLE; k += WG) {
        table[k] = input[k];
    }
    __syncthreads();
    const u32 i = block_index() * WG + t;
    uint4 sum = make_uint4(i, i, i, i);
    for (u32 k = 0u; k < ROUNDS; k++) {
        const u32 at = (i + 37u * k) & 127u;
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
