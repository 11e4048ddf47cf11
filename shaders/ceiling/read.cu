// Twin of read.wgsl: the same code.

struct Sizes { u32 elements; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, float* __restrict__ output, const Sizes sizes) {
    const u32 stride = gridDim.x * gridDim.y * WG;
    const u32 first = block_index() * WG + threadIdx.x;
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
    if (first < sizes.elements) {
        const T sum = (a + b) + (c + d);
        output[first] = (sum.x + sum.y) + (sum.z + sum.w);
    }
}
