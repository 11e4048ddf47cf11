// Twin of three_kernels.wgsl: registers hold the ranks and words of a thread in unrolled loops.

struct Sizes { u32 n, groups, tiles_each, shift, kernel; };

constexpr u32 COUNT = 0u, SCAN = 1u;
constexpr u32 DIGITS = 1u << BITS;

struct Shared {
    // Counts of each digit; when keys move, the destination of the next key of each.
    u32 digits[256];
    // Where each digit starts in the sorted tile.
    u32 starts[256];
    // The digit of each key in the upper half, and its position in the unsorted tile in the lower half.
    u32 tile[8u * WG];
    // Counts of digit d and of digit d + 8 in the halves of a word, for each d below 8 and each thread.
    u32 counters[8u * WG];
    u32 sums[WG];
};

__device__ __forceinline__ u32 digit_of(u32 key, u32 shift) { return (key >> shift) & (DIGITS - 1u); }

// The sum of the values of all threads before this one.
__device__ __forceinline__ u32 sum_before(Shared& shared, u32 own, u32 t) {
    u32 sum = own;
    for (u32 s = 1u; s < WG; s *= 2u) {
        shared.sums[t] = sum;
        __syncthreads();
        if (t >= s) {
            sum += shared.sums[t - s];
        }
        __syncthreads();
    }
    return sum - own;
}

// Where the first key of each digit goes that this block has.
__device__ __forceinline__ void start_digits(Shared& shared, const u32* counts, Sizes sizes, u32 group, u32 t) {
    constexpr u32 EACH = DIGITS / WG > 1u ? DIGITS / WG : 1u;
    const u32 from = min(t * EACH, DIGITS), upto = min(from + EACH, DIGITS), totals = sizes.groups * DIGITS;
    u32 sum = 0u;
    for (u32 d = from; d < upto; d++) {
        sum += counts[totals + d];
    }
    u32 before = sum_before(shared, sum, t);
    for (u32 d = from; d < upto; d++) {
        shared.digits[d] = before + counts[d * sizes.groups + group];
        before += counts[totals + d];
    }
    __syncthreads();
}

// Sorts the tile by four bits. Each thread has eight neighbouring words.
__device__ __forceinline__ void sort_tile(Shared& shared, u32 bit, u32 t) {
    u32 words[8], ranks[8];
#pragma unroll
    for (u32 w = 0u; w < 8u; w++) {
        shared.counters[w * WG + t] = 0u;
        words[w] = shared.tile[8u * t + w];
    }
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        const u32 digit = (words[k] >> bit) & 15u, half = 16u * (digit >> 3);
        u32& counter = shared.counters[(digit & 7u) * WG + t];
        ranks[k] = (counter >> half) & 0xffffu;
        counter += 1u << half;
    }
    __syncthreads();
    // In the order of digits, and of threads for one digit: eight neighbouring counters to a thread.
    u32 sum = 0u;
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        sum += shared.counters[8u * t + k];
    }
    u32 before = sum_before(shared, sum, t);
    if (t == WG - 1u) {
        shared.sums[0] = before + sum;
    }
    __syncthreads();
    // Digits of the upper halves come after all those of the lower halves.
    before += shared.sums[0] << 16;
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        const u32 own = shared.counters[8u * t + k];
        shared.counters[8u * t + k] = before;
        before += own;
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0u; k < 8u; k++) {
        const u32 digit = (words[k] >> bit) & 15u, half = 16u * (digit >> 3);
        shared.tile[((shared.counters[(digit & 7u) * WG + t] >> half) & 0xffffu) + ranks[k]] = words[k];
    }
    __syncthreads();
}

// Moves the keys of a tile, which `digits` has the destinations of, and updates these.
__device__ __forceinline__ void move_tile(
    Shared& shared, const u32* __restrict__ source, u32* result, Sizes sizes, u32 corner, u32 keys, u32 t) {
#pragma unroll
    for (u32 step = 0u; step < 8u; step++) {
        const u32 k = step * WG + t;
        // Positions without a key have the largest digit, and come last.
        const u32 digit = k < keys ? digit_of(source[corner + k], sizes.shift) : DIGITS - 1u;
        shared.tile[k] = (digit << 16) | k;
    }
    __syncthreads();
#pragma unroll
    for (u32 bit = 16u; bit < 16u + BITS; bit += 4u) {
        sort_tile(shared, bit, t);
    }
    for (u32 k = t; k < keys; k += WG) {
        const u32 digit = shared.tile[k] >> 16;
        if (k == 0u || digit != shared.tile[k - 1u] >> 16) {
            shared.starts[digit] = k;
        }
    }
    __syncthreads();
    for (u32 k = t; k < keys; k += WG) {
        const u32 digit = shared.tile[k] >> 16, from = corner + (shared.tile[k] & 0xffffu);
        const u32 to = shared.digits[digit] + k - shared.starts[digit];
        result[to] = source[from];
        if (PAIRS == 1u) {
            result[sizes.n + to] = source[sizes.n + from];
        }
    }
    __syncthreads();
    for (u32 k = t; k < keys; k += WG) {
        const u32 digit = shared.tile[k] >> 16;
        if (k + 1u == keys || digit != shared.tile[k + 1u] >> 16) {
            shared.digits[digit] += k + 1u - shared.starts[digit];
        }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ source, T* result, u32* counts, const Sizes sizes) {
    __shared__ Shared shared;
    const u32 t = threadIdx.x, group = blockIdx.x;
    const u32 first = group * sizes.tiles_each * 8u * WG;
    const u32 end = min(first + sizes.tiles_each * 8u * WG, sizes.n);
    if (sizes.kernel == COUNT) {
        for (u32 d = t; d < DIGITS; d += WG) {
            shared.digits[d] = 0u;
        }
        __syncthreads();
#pragma unroll 8
        for (u32 i = first + t; i < end; i += WG) {
            atomicAdd(&shared.digits[digit_of(source[i], sizes.shift)], 1u);
        }
        __syncthreads();
        for (u32 d = t; d < DIGITS; d += WG) {
            counts[d * sizes.groups + group] = shared.digits[d];
        }
    } else if (sizes.kernel == SCAN) {
        // This block has the digit of its number, each thread neighbouring counts.
        const u32 each = (sizes.groups + WG - 1u) / WG;
        const u32 from = group * sizes.groups + min(t * each, sizes.groups);
        const u32 upto = group * sizes.groups + min((t + 1u) * each, sizes.groups);
        u32 sum = 0u;
        for (u32 k = from; k < upto; k++) {
            sum += counts[k];
        }
        u32 before = sum_before(shared, sum, t);
        for (u32 k = from; k < upto; k++) {
            const u32 own = counts[k];
            counts[k] = before;
            before += own;
        }
        if (t == WG - 1u) {
            counts[sizes.groups * DIGITS + group] = before;
        }
    } else {
        start_digits(shared, counts, sizes, group, t);
        for (u32 corner = first; corner < end; corner += 8u * WG) {
            move_tile(shared, source, result, sizes, corner, min(end - corner, 8u * WG), t);
        }
    }
}
