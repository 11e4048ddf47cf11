// Twin of carved.wgsl: CUDA uses typed pointers into one dynamic block of bytes, the third argument of the launch, where
// WGSL must shift and cast words. The arrays have the same offsets, and one thread stores each pair of shorts at once,
// although CUDA could store half a word.

struct Sizes { u32 n; };

constexpr u32 FLOATS = 256u;
constexpr u32 INTS = 512u;
constexpr u32 SHARED_BYTES = 1536u;
static_assert(SHARED_BYTES == INTS + 256u * 4u, "three arrays");

extern "C" __global__ void __launch_bounds__(256)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    extern __shared__ uint4 words[];
    unsigned char* const block = reinterpret_cast<unsigned char*>(words);
    short* const shorts = reinterpret_cast<short*>(block);
    float* const floats = reinterpret_cast<float*>(block + FLOATS);
    int* const ints = reinterpret_cast<int*>(block + INTS);
    const u32 t = threadIdx.x;
    const u32 i = block_index() * 256u + t;
    const u32 quarter = t / 64u;
    const u32 place = t % 64u;
    u32 x = 0u;
    if (i < sizes.n) {
        x = input[i];
    }
    for (u32 k = 0u; k < ROUNDS; k++) {
        ints[t] = int(x);
        if (quarter == k % 4u) {
            floats[place] = float(x >> 12u);
        }
        if (quarter == (k + 1u) % 4u) {
            const int low = int(x & 0xffffu) - 32768;
            const int high = int(x >> 16u) - 32768;
            reinterpret_cast<short2*>(shorts)[place] = make_short2(short(low), short(high));
        }
        __syncthreads();
        // Unsigned: sums of signed numbers must not overflow in CUDA; in WGSL they wrap.
        const u32 sum = u32(ints[(t + 37u) % 256u]) + u32(shorts[(t + k) % 128u])
                        + u32(int(floats[(3u * t + k) % 64u]));
        x = sum * 5u + 1u;
        __syncthreads();
    }
    if (i < sizes.n) {
        output[i] = x;
    }
}
