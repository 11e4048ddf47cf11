// Twin of workgroup.wgsl: the same code.

struct Sizes { u32 rows, columns; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, const T* __restrict__ gains, T* __restrict__ output, const Sizes sizes) {
    __shared__ T parts[WG];
    const u32 t = threadIdx.x;
    const u32 row = block_index();
    if (row >= sizes.rows) {
        return;
    }
    const u32 first = row * sizes.columns;
    T sum = 0.0f;
    for (u32 column = t; column < sizes.columns; column += WG) {
        const T x = input[first + column];
        sum += x * x;
    }
    parts[t] = sum;
    __syncthreads();
    for (u32 s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            parts[t] += parts[t + s];
        }
        __syncthreads();
    }
    const T factor = rsqrtf(parts[0] / static_cast<float>(sizes.columns) + 1e-5f);
    for (u32 column = t; column < sizes.columns; column += WG) {
        output[first + column] = input[first + column] * factor * gains[column];
    }
}
