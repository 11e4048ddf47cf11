// Twin of online.wgsl: the same code, with the fast exponential, whose error WGSL allows too.

struct Sizes { u32 rows, columns; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    __shared__ T tops[WG];
    __shared__ T parts[WG];
    const u32 t = threadIdx.x;
    const u32 row = block_index();
    if (row >= sizes.rows) {
        return;
    }
    const u32 first = row * sizes.columns;
    T top = -3.402823466e38f;
    T sum = 0.0f;
    for (u32 column = t; column < sizes.columns; column += WG) {
        const T x = input[first + column];
        if (x > top) {
            sum = sum * __expf(top - x) + 1.0f;
            top = x;
        } else {
            sum += __expf(x - top);
        }
    }
    tops[t] = top;
    parts[t] = sum;
    __syncthreads();
    for (u32 s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            const T both = fmaxf(tops[t], tops[t + s]);
            parts[t] = parts[t] * __expf(tops[t] - both) + parts[t + s] * __expf(tops[t + s] - both);
            tops[t] = both;
        }
        __syncthreads();
    }
    const T factor = 1.0f / parts[0];
    for (u32 column = t; column < sizes.columns; column += WG) {
        output[first + column] = __expf(input[first + column] - tops[0]) * factor;
    }
}
