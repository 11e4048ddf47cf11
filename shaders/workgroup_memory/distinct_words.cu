// Twin of distinct_words.wgsl: the same code, with the words in shared memory.

struct Sizes { u32 n; };

constexpr u32 WG = 256u;
constexpr u32 CLUMP = 32u;
constexpr u32 SETS = 8u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    __shared__ u32 words[SETS * WG];
    const u32 t = threadIdx.x;
    const u32 first = block_index() * WG;
    const u32 i = first + t;
    const u32 lane = t % CLUMP;
    const u32 clump = t / CLUMP;
    // Each clump has its own values, small enough to grow each round without wrapping.
    u32 seed = 1u + clump * ROUNDS * SETS * CLUMP;
    if (first < sizes.n) {
        seed += input[first] >> 4u;
    }
    u32 hits = 0u;
    for (u32 k = 0u; k < ROUNDS; k++) {
        for (u32 j = 0u; j < SETS; j++) {
            const u32 base = seed + (k * SETS + j) * CLUMP;
            words[j * WG + t] = base + lane;
        }
        __syncthreads();
        for (u32 j = 0u; j < SETS; j++) {
            const u32 base = seed + (k * SETS + j) * CLUMP;
            const u32 peer = (lane + k + 1u) % CLUMP;
            hits += u32(words[j * WG + clump * CLUMP + peer] == base + peer);
        }
        __syncthreads();
    }
    if (i < sizes.n) {
        output[i] = input[i] + hits;
    }
}
