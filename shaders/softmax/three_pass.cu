// Twin of three_pass.wgsl: the same code, with the fast exponential, whose error WGSL allows too.

struct Sizes { u32 rows, columns, stage; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const T* __restrict__ input, T* __restrict__ maxima, T* __restrict__ sums, T* __restrict__ output, const Sizes sizes
) {
    __shared__ T parts[WG];
    const u32 t = threadIdx.x;
    const u32 row = block_index();
    if (row >= sizes.rows) {
        return;
    }
    const u32 first = row * sizes.columns;
    if (sizes.stage == 2u) {
        const T top = maxima[row];
        const T factor = 1.0f / sums[row];
        for (u32 column = t; column < sizes.columns; column += WG) {
            output[first + column] = __expf(input[first + column] - top) * factor;
        }
        return;
    }
    if (sizes.stage == 0u) {
        T top = -3.402823466e38f;
        for (u32 column = t; column < sizes.columns; column += WG) {
            top = fmaxf(top, input[first + column]);
        }
        parts[t] = top;
        __syncthreads();
        for (u32 s = WG / 2u; s > 0u; s /= 2u) {
            if (t < s) {
                parts[t] = fmaxf(parts[t], parts[t + s]);
            }
            __syncthreads();
        }
        if (t == 0u) {
            maxima[row] = parts[0];
        }
        return;
    }
    const T top = maxima[row];
    T sum = 0.0f;
    for (u32 column = t; column < sizes.columns; column += WG) {
        sum += __expf(input[first + column] - top);
    }
    parts[t] = sum;
    __syncthreads();
    for (u32 s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            parts[t] += parts[t + s];
        }
        __syncthreads();
    }
    if (t == 0u) {
        sums[row] = parts[0];
    }
}
