// Twin of read_tree.wgsl: the same code.

struct Sizes { u32 elements; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, float* __restrict__ output, const Sizes sizes) {
    __shared__ float tile[WG];
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 stride = gridDim.x * gridDim.y * WG;
    const u32 first = block * WG + t;
    T a = T(), b = T(), c = T(), d = T();
    for (u32 k = 0u; k < ITEMS; k += 8u) {
        const u32 i = first + k * stride;
        if (i + 7u * stride < sizes.elements) {
            a += input[i];
            b += input[i + stride];
            c += input[i + 2u * stride];
            d += input[i + 3u * stride];
            a += input[i + 4u * stride];
            b += input[i + 5u * stride];
            c += input[i + 6u * stride];
            d += input[i + 7u * stride];
        } else {
            for (u32 j = i; j < sizes.elements; j += stride) {
                a += input[j];
            }
        }
    }
    const T sum = (a + b) + (c + d);
    tile[t] = (sum.x + sum.y) + (sum.z + sum.w);
    __syncthreads();
    for (u32 half = WG / 2u; half > 0u; half /= 2u) {
        if (t < half) {
            tile[t] += tile[t + half];
        }
        __syncthreads();
    }
    if (t == 0u && block * WG < sizes.elements) {
        output[block] = tile[0];
    }
}
