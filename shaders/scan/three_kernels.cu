// Twin of three_kernels.wgsl: a Hillis-Steele scan in shared memory. Surplus blocks of a folded grid read no block sum.

struct Sizes { u32 n, is_adding; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, T* __restrict__ block_sums, const Sizes sizes) {
    __shared__ T sums[WG];
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 first = (block * WG + t) * 4u;
    if (sizes.is_adding == 1u) {
        if (block > 0u && first < sizes.n) {
            const T before = block_sums[block - 1u];
            if (first + 3u < sizes.n) {
                // All loads before the first store: in a loop each load would wait for the store before.
                const T a = output[first]; const T b = output[first + 1u];
                const T c = output[first + 2u]; const T d = output[first + 3u];
                output[first] = a + before; output[first + 1u] = b + before;
                output[first + 2u] = c + before; output[first + 3u] = d + before;
            } else {
                for (u32 i = first; i < sizes.n; i++) {
                    output[i] += before;
                }
            }
        }
    } else {
        T a = T(), b = T(), c = T(), d = T();
        if (first < sizes.n) { a = input[first]; }
        if (first + 1u < sizes.n) { b = input[first + 1u]; }
        if (first + 2u < sizes.n) { c = input[first + 2u]; }
        if (first + 3u < sizes.n) { d = input[first + 3u]; }
        b += a; c += b; d += c;
        sums[t] = d;
        __syncthreads();
        for (u32 s = 1u; s < WG; s *= 2u) {
            T own = sums[t];
            if (t >= s) {
                own += sums[t - s];
            }
            __syncthreads();
            sums[t] = own;
            __syncthreads();
        }
        T before = T();
        if (t > 0u) {
            before = sums[t - 1u];
        }
        if (first < sizes.n) { output[first] = before + a; }
        if (first + 1u < sizes.n) { output[first + 1u] = before + b; }
        if (first + 2u < sizes.n) { output[first + 2u] = before + c; }
        if (first + 3u < sizes.n) { output[first + 3u] = before + d; }
        if (t == WG - 1u && block * WG * 4u < sizes.n) {
            block_sums[block] = sums[t];
        }
    }
}
