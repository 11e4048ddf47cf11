// Twin of broadcast.wgsl: the same code.

struct Sizes { u32 n, advance; };

constexpr u32 TABLE = 4096u;
constexpr u32 SPAN = 2048u;
constexpr u32 STEP = 128u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    __shared__ T table[TABLE];
    const u32 t = threadIdx.x;
    for (u32 k = t; k < TABLE; k += WG) {
        table[k] = input[k];
    }
    __syncthreads();
    const u32 i = block_index() * WG + t;
    const u32 start = i / GROUP;
    T a = T(), b = T(), c = T(), d = T();
    for (u32 k = 0u; k < ROUNDS; k++) {
        const u32 at = (start + sizes.advance * k) & (SPAN - 1u);
        a += table[at]; b += table[at + STEP]; c += table[at + 2u * STEP]; d += table[at + 3u * STEP];
        a += table[at + 4u * STEP]; b += table[at + 5u * STEP]; c += table[at + 6u * STEP]; d += table[at + 7u * STEP];
        a += table[at + 8u * STEP]; b += table[at + 9u * STEP];
        c += table[at + 10u * STEP]; d += table[at + 11u * STEP];
        a += table[at + 12u * STEP]; b += table[at + 13u * STEP];
        c += table[at + 14u * STEP]; d += table[at + 15u * STEP];
    }
    if (i < sizes.n) {
        output[i] = (a + b) + (c + d);
    }
}
