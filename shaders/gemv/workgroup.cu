// Twin of workgroup.wgsl: the same code.

struct Sizes { u32 rows, columns; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ weights, const T* __restrict__ x, float* __restrict__ y, const Sizes sizes) {
    __shared__ float parts[WG];
    const u32 t = threadIdx.x;
    const u32 row = block_index();
    float sum = 0.0f;
    if (row < sizes.rows) {
        for (u32 column = t; column < sizes.columns; column += WG) {
            sum += to_float(weights[row * sizes.columns + column]) * to_float(x[column]);
        }
    }
    parts[t] = sum;
    __syncthreads();
    for (u32 s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            parts[t] += parts[t + s];
        }
        __syncthreads();
    }
    if (t == 0u && row < sizes.rows) {
        y[row] = parts[0];
    }
}
