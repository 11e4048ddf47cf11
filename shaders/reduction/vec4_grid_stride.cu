// Twin of vec4_grid_stride.wgsl: the incomplete last element is read as scalars, up to the end of the array.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const vec4<T>* __restrict__ input, T* __restrict__ block_sums, const Sizes sizes) {
    __shared__ T tile[WG];
    const u32 t = threadIdx.x;
    const u32 stride = gridDim.x * WG;
    const u32 whole = sizes.n / 4u;
    u32 i = blockIdx.x * WG + t;
    vec4<T> a = vec4<T>(), b = vec4<T>(), c = vec4<T>(), d = vec4<T>();
    while (i + 7u * stride < whole) {
        a += input[i];
        b += input[i + stride];
        c += input[i + 2u * stride];
        d += input[i + 3u * stride];
        a += input[i + 4u * stride];
        b += input[i + 5u * stride];
        c += input[i + 6u * stride];
        d += input[i + 7u * stride];
        i += 8u * stride;
    }
    while (i < whole) {
        a += input[i];
        i += stride;
    }
    if (i == whole) {
        // The one thread whose next element is the incomplete last one.
        const T* __restrict__ last = reinterpret_cast<const T*>(input + whole);
        if (sizes.n % 4u > 0u) { b.x += last[0]; }
        if (sizes.n % 4u > 1u) { b.y += last[1]; }
        if (sizes.n % 4u > 2u) { b.z += last[2]; }
    }
    const vec4<T> sum = (a + b) + (c + d);
    tile[t] = (sum.x + sum.y) + (sum.z + sum.w);
    __syncthreads();
    for (u32 s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            tile[t] += tile[t + s];
        }
        __syncthreads();
    }
    if (t == 0u) {
        block_sums[blockIdx.x] = tile[0];
    }
}
