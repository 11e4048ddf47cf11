// Twin of bytes_of_word.wgsl: the same code with an array of bytes, which CUDA stores one by one.

struct Sizes { u32 n; };

constexpr u32 WG = 256u;
constexpr u32 CLUMP = 32u;
constexpr u32 SETS = 8u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    __shared__ __align__(4) unsigned char bytes[SETS * WG];
    const u32 t = threadIdx.x;
    const u32 first = block_index() * WG;
    const u32 i = first + t;
    const u32 lane = t % CLUMP;
    const u32 clump = t / CLUMP;
    // A multiple of four, so that the bytes of a word are consecutive numbers. Each clump has its own.
    u32 seed = 100u * clump;
    if (first < sizes.n) {
        seed += input[first] & ~3u;
    }
    u32 hits = 0u;
    for (u32 k = 0u; k < ROUNDS; k++) {
        for (u32 j = 0u; j < SETS; j++) {
            bytes[j * WG + t] = (unsigned char)(seed + (k * SETS + j) * 36u + lane);
        }
        __syncthreads();
        for (u32 j = 0u; j < SETS; j++) {
            // The word of the next four threads.
            const u32 peer = (lane / 4u + k + 1u) % (CLUMP / 4u);
            const u32 low = (seed + (k * SETS + j) * 36u + 4u * peer) & 255u;
            const uchar4 word = *reinterpret_cast<const uchar4*>(&bytes[j * WG + clump * CLUMP + 4u * peer]);
            hits += u32(word.x == low && word.y == low + 1u && word.z == low + 2u && word.w == low + 3u);
        }
        __syncthreads();
    }
    if (i < sizes.n) {
        output[i] = input[i] + hits;
    }
}
