// Twin of fixed_bytes.wgsl: the same code with an array of bytes, which CUDA stores one by one.

struct Sizes { u32 n; };

constexpr u32 LENGTH = 8u;
constexpr u32 ROUNDS = 15u;

extern "C" __global__ void __launch_bounds__(LENGTH)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    __shared__ unsigned char bytes[LENGTH];
    const u32 t = threadIdx.x;
    const u32 i = block_index() * LENGTH + t;
    unsigned char own = 0u;
    if (i < sizes.n) {
        own = (unsigned char)input[i];
    }
    for (u32 k = 0u; k < ROUNDS; k++) {
        bytes[t] = own;
        __syncthreads();
        own = bytes[(t + 3u) % LENGTH];
        __syncthreads();
    }
    if (i < sizes.n) {
        output[i] = own;
    }
}
