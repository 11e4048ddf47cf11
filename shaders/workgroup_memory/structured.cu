// Twin of structured.wgsl: the same struct in shared memory; each short takes a word, as in WGSL.

struct Sizes { u32 n; };

struct Block { int shorts[128]; float floats[64]; int ints[256]; };

extern "C" __global__ void __launch_bounds__(256)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    __shared__ Block block;
    const u32 t = threadIdx.x;
    const u32 i = block_index() * 256u + t;
    const u32 quarter = t / 64u;
    const u32 place = t % 64u;
    u32 x = 0u;
    if (i < sizes.n) {
        x = input[i];
    }
    for (u32 k = 0u; k < ROUNDS; k++) {
        block.ints[t] = int(x);
        if (quarter == k % 4u) {
            block.floats[place] = float(x >> 12u);
        }
        if (quarter == (k + 1u) % 4u) {
            block.shorts[2u * place] = int(x & 0xffffu) - 32768;
            block.shorts[2u * place + 1u] = int(x >> 16u) - 32768;
        }
        __syncthreads();
        // Unsigned: sums of signed numbers must not overflow in CUDA; in WGSL they wrap.
        const u32 sum = u32(block.ints[(t + 37u) % 256u]) + u32(block.shorts[(t + k) % 128u])
            + u32(int(block.floats[(3u * t + k) % 64u]));
        x = sum * 5u + 1u;
        __syncthreads();
    }
    if (i < sizes.n) {
        output[i] = x;
    }
}
