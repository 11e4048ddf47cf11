// Twin of halves.wgsl: the same code. It loads words and extracts 16-bit values, as WGSL must.

struct Sizes { u32 n, advance; };

constexpr u32 TABLE = 4096u;
constexpr u32 SPAN = 2048u;
constexpr u32 STEP = 128u;

__device__ __forceinline__ u32 part(u32 word, u32 shift) {
    return (word >> shift) & 0xffffu;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    __shared__ T table[TABLE];
    const u32 t = threadIdx.x;
    for (u32 k = t; k < TABLE; k += WG) {
        table[k] = input[k];
    }
    __syncthreads();
    const u32 i = block_index() * WG + t;
    const u32 start = APART * i;
    T a = T(), b = T(), c = T(), d = T();
    for (u32 k = 0u; k < ROUNDS; k++) {
        const u32 place = (start + sizes.advance * k) & (2u * SPAN - 1u);
        const u32 at = place / 2u;
        const u32 shift = place % 2u * 16u;
        a += part(table[at], shift);
        b += part(table[at + STEP], shift);
        c += part(table[at + 2u * STEP], shift);
        d += part(table[at + 3u * STEP], shift);
        a += part(table[at + 4u * STEP], shift);
        b += part(table[at + 5u * STEP], shift);
        c += part(table[at + 6u * STEP], shift);
        d += part(table[at + 7u * STEP], shift);
        a += part(table[at + 8u * STEP], shift);
        b += part(table[at + 9u * STEP], shift);
        c += part(table[at + 10u * STEP], shift);
        d += part(table[at + 11u * STEP], shift);
        a += part(table[at + 12u * STEP], shift);
        b += part(table[at + 13u * STEP], shift);
        c += part(table[at + 14u * STEP], shift);
        d += part(table[at + 15u * STEP], shift);
    }
    if (i < sizes.n) {
        output[i] = (a + b) + (c + d);
    }
}
