// Twin of dot.wgsl: the same code, with the tree in shared memory.

struct Sizes { u32 elements, scalar; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ block_sums, const Sizes sizes) {
    __shared__ T tile[WG];
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 stride = gridDim.x * gridDim.y * WG;
    u32 i = block * WG + t;
    T p = T(), q = T(), r = T(), s = T();
    while (i + 3u * stride < sizes.elements) {
        p += a[i] * b[i];
        q += a[i + stride] * b[i + stride];
        r += a[i + 2u * stride] * b[i + 2u * stride];
        s += a[i + 3u * stride] * b[i + 3u * stride];
        i += 4u * stride;
    }
    while (i < sizes.elements) {
        p += a[i] * b[i];
        i += stride;
    }
    tile[t] = (p + q) + (r + s);
    __syncthreads();
    for (u32 half = WG / 2u; half > 0u; half /= 2u) {
        if (t < half) {
            tile[t] += tile[t + half];
        }
        __syncthreads();
    }
    if (t == 0u) {
        block_sums[block] = tile[0];
    }
}
