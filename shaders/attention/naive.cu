// Twin of naive.wgsl: the same code, with the fast exponential, whose error WGSL allows too.

struct Sizes { u32 heads, length, stage; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const T* __restrict__ q, const T* __restrict__ k, const T* __restrict__ v, T* __restrict__ scores,
    T* __restrict__ output, const Sizes sizes
) {
    __shared__ T parts[WG];
    const u32 t = threadIdx.x;
    const u32 number = block_index();
    const u32 length = sizes.length;
    if (sizes.stage == 0u) {
        const u32 i = number * WG + t;
        if (i < sizes.heads * length * length) {
            const u32 row = i / length;
            const u32 key = i % length;
            if (CAUSAL == 0u || key <= row % length) {
                const T* from_q = q + row * D;
                const T* from_k = k + (row / length * length + key) * D;
                T sum = 0.0f;
                for (u32 c = 0u; c < D; c++) {
                    sum += from_q[c] * from_k[c];
                }
                scores[i] = sum * rsqrtf(static_cast<float>(D));
            }
        }
        return;
    }
    if (sizes.stage == 1u) {
        if (number >= sizes.heads * length) {
            return;
        }
        T* own = scores + number * length;
        const u32 end = CAUSAL == 1u ? number % length + 1u : length;
        T top = -3.402823466e38f;
        for (u32 key = t; key < end; key += WG) {
            top = fmaxf(top, own[key]);
        }
        parts[t] = top;
        __syncthreads();
        for (u32 s = WG / 2u; s > 0u; s /= 2u) {
            if (t < s) {
                parts[t] = fmaxf(parts[t], parts[t + s]);
            }
            __syncthreads();
        }
        top = parts[0];
        __syncthreads();
        T sum = 0.0f;
        for (u32 key = t; key < end; key += WG) {
            sum += __expf(own[key] - top);
        }
        parts[t] = sum;
        __syncthreads();
        for (u32 s = WG / 2u; s > 0u; s /= 2u) {
            if (t < s) {
                parts[t] += parts[t + s];
            }
            __syncthreads();
        }
        const T factor = 1.0f / parts[0];
        for (u32 key = t; key < end; key += WG) {
            own[key] = __expf(own[key] - top) * factor;
        }
        return;
    }
    const u32 i = number * WG + t;
    if (i < sizes.heads * length * D) {
        const u32 row = i / D;
        const u32 end = CAUSAL == 1u ? row % length + 1u : length;
        const T* own = scores + row * length;
        const T* from_v = v + row / length * length * D + i % D;
        T sum = 0.0f;
        for (u32 key = 0u; key < end; key++) {
            sum += own[key] * from_v[key * D];
        }
        output[i] = sum;
    }
}
