// Twin of subgroup.wgsl: a warp is summed by shuffles, or by one instruction for integers on devices that have it.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ block_sums, const Sizes sizes) {
    __shared__ u32 slots;
    __shared__ T partial[WG];
    __shared__ u32 subgroups;
    const u32 t = threadIdx.x;
    const u32 lane = t % 32u;
    const u32 block = block_index();
    const u32 i = block * 2u * WG + t;
    T own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    if (i + WG < sizes.n) {
        own += input[i + WG];
    }
    if (t == 0u) {
        slots = 0u;
    }
    const T sum = subgroup_add<WG>(own);
    __syncthreads();
    if (lane == 0u) {
        partial[atomicAdd(&slots, 1u)] = sum;
    }
    __syncthreads();
    if (t == 0u) {
        subgroups = slots;
    }
    __syncthreads();
    u32 left = subgroups;
    __syncthreads();
    while (left > 1u) {
        const u32 half = (left + 1u) / 2u;
        if (t + half < left) {
            partial[t] += partial[t + half];
        }
        __syncthreads();
        left = half;
    }
    if (t == 0u && i < sizes.n) {
        block_sums[block] = partial[0];
    }
}
