// Twin of single_pass_subgroup.wgsl: the same tiles, windows and fallback. Warps scan by shuffles, the first warp looks
// back while the others wait, and a tile publishes one word of 64 bits, stored and loaded as a whole.

static_assert(WG % 32u == 0u, "a block must be of whole warps");

typedef unsigned long long u64;

struct Sizes { u32 n, tiles; };

constexpr u32 FULL = 0xffffffffu;
constexpr u32 WARPS = WG / 32u;
// Status of a tile: nothing published, its own sum, or the sum of all elements up to its end.
constexpr u32 SILENT = 0u;
constexpr u32 AGGREGATE = 1u;
constexpr u32 INCLUSIVE = 2u;
// Tiles below this number look back without a pause: most of them run at the same time, so that no predecessor ends
// sooner.
constexpr u32 FIRST = 400u;

__device__ __forceinline__ u32 bits_of(float x) { return __float_as_uint(x); }
__device__ __forceinline__ u32 bits_of(u32 x) { return x; }
template <typename S> __device__ __forceinline__ S from_bits(u32 bits);
template <> __device__ __forceinline__ float from_bits<float>(u32 bits) { return __uint_as_float(bits); }
template <> __device__ __forceinline__ u32 from_bits<u32>(u32 bits) { return bits; }

// Elements 4i to 4i + 3. Elements beyond the n-th occur in the last tile only, after all others.
__device__ __forceinline__ vec4<T> four(const vec4<T>* __restrict__ input, u32 i, u32 n) {
    return 4u * i < n ? input[i] : vec4<T>();
}

// In the order of `scanned`.
__device__ __forceinline__ T row_sum(vec4<T> x) {
    return ((x.x + x.y) + x.z) + x.w;
}

__device__ __forceinline__ vec4<T> scanned(vec4<T> x) {
    const T y = x.x + x.y;
    const T z = y + x.z;
    return {x.x, y, z, z + x.w};
}

__device__ __forceinline__ void put(vec4<T>* __restrict__ output, u32 i, vec4<T> x, T before, u32 n) {
    const vec4<T> sums = {x.x + before, x.y + before, x.z + before, x.w + before};
    if (4u * i + 3u < n) {
        output[i] = sums;
        return;
    }
    if (4u * i < n) { output[i].x = sums.x; }
    if (4u * i + 1u < n) { output[i].y = sums.y; }
    if (4u * i + 2u < n) { output[i].z = sums.z; }
}

// The vector of the lane `distance` before this one.
__device__ __forceinline__ vec4<T> shifted(vec4<T> x, u32 distance) {
    return {
        __shfl_up_sync(FULL, x.x, distance), __shfl_up_sync(FULL, x.y, distance),
        __shfl_up_sync(FULL, x.z, distance), __shfl_up_sync(FULL, x.w, distance),
    };
}

// The inclusive scan over the lanes of a warp.
__device__ __forceinline__ void scan_by_warp(vec4<T>& own, u32 lane) {
#pragma unroll
    for (u32 s = 1u; s < 32u; s *= 2u) {
        const vec4<T> other = shifted(own, s);
        if (lane >= s) {
            own += other;
        }
    }
}

// Publishes a sum: status and sum are one word, so that no order between words is needed.
__device__ __forceinline__ void say(u64* said, u32 status, T sum) {
    const u64 word = (static_cast<u64>(status) << 32) | bits_of(sum);
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" : : "l"(said), "l"(word));
}

// Publishes a sum for a tile that has not, so that other blocks need not add it up. A published word stays.
__device__ __forceinline__ void say_for(u64* said, T sum) {
    atomicCAS(said, 0ull, (static_cast<u64>(AGGREGATE) << 32) | bits_of(sum));
}

// Reads what a tile has published, from L2.
__device__ __forceinline__ u64 heard(const u64* said) {
    u64 word;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(said));
    return word;
}

// The sum over a warp, in every lane.
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
    for (u32 offset = 16u; offset > 0u; offset /= 2u) {
        value += __shfl_xor_sync(FULL, value, offset);
    }
    return value;
}

// The sum of a whole tile, from the input, by one warp.
__device__ __forceinline__ T added_up(const vec4<T>* __restrict__ input, u32 tile, u32 lane, u32 n) {
    vec4<T> sum = vec4<T>();
    for (u32 k = lane; k < 8u * WG; k += 32u) {
        sum += four(input, tile * 8u * WG + k, n);
    }
    return warp_sum((sum.x + sum.y) + (sum.z + sum.w));
}

// The sum of all tiles before `tile`, by one warp: it reads the 32 nearest tiles, from the last one back to the first
// without a published sum or with an inclusive one, then the 32 before these. Each iteration adds at least one tile.
__device__ __forceinline__ T looked_back(
    const vec4<T>* __restrict__ input, u64* said, u32 tile, u32 lane, u32 n) {
    T before = T();
    u32 end = tile, patience = LOOKS;
    if (tile >= FIRST) {
        __nanosleep(7u * PAUSE);
    }
    while (end > 0u) {
        u32 status = SILENT, tiles = 0u;
        T sum = T();
        for (u32 look = 0u; tiles == 0u && look != patience; look++) {
            const u64 word = lane < end ? heard(said + (end - 1u - lane)) : 0u;
            status = static_cast<u32>(word >> 32);
            sum = from_bits<T>(static_cast<u32>(word));
            // The lanes before the first that did not publish its own sum, plus that lane if it published an inclusive
            // sum.
            const u32 other = __ballot_sync(FULL, status != AGGREGATE);
            const u32 near = other == 0u ? 32u : __ffs(other) - 1u;
            status = __shfl_sync(FULL, status, near % 32u);
            tiles = status == INCLUSIVE ? near + 1u : near;
        }
        if (tiles == 0u) {
            const T sum = added_up(input, end - 1u, lane, n);
            if (lane == 0u) {
                say_for(said + (end - 1u), sum);
            }
            before += sum;
            end -= 1u;
            // Where one tile has not started, those before it often have not either: one read is enough.
            patience = LOOKS < 1u ? LOOKS : 1u;
        } else {
            before += warp_sum(lane < tiles ? sum : T());
            end = status == INCLUSIVE ? 0u : end - tiles;
        }
    }
    return before;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const vec4<T>* __restrict__ input, vec4<T>* __restrict__ output, u32* state, const Sizes sizes) {
    __shared__ T tiles_before;
    __shared__ vec4<T> totals[WARPS], totals_again[WARPS];
    const u32 t = threadIdx.x, lane = t % 32u, warp = t / 32u, n = sizes.n;
    // Where blocks start in another order, a tile may wait for one that has not started, and sums it up.
    const u32 tile = blockIdx.y * gridDim.x + blockIdx.x;
    if (tile >= sizes.tiles) {
        return;
    }
    // After two words that are not used, 64 bits per tile.
    u64* said = reinterpret_cast<u64*>(state) + 1u;
    // Eight rows of 4 WG elements, each scanned separately. The first four are read again.
    const u32 i = tile * 8u * WG + t, j = i + 4u * WG;
    vec4<T> again = {
        row_sum(four(input, i, n)), row_sum(four(input, i + WG, n)),
        row_sum(four(input, i + 2u * WG, n)), row_sum(four(input, i + 3u * WG, n)),
    };
    const vec4<T> a = scanned(four(input, j, n));
    const vec4<T> b = scanned(four(input, j + WG, n));
    const vec4<T> c = scanned(four(input, j + 2u * WG, n));
    const vec4<T> d = scanned(four(input, j + 3u * WG, n));
    vec4<T> own = {a.w, b.w, c.w, d.w};
    scan_by_warp(own, lane);
    scan_by_warp(again, lane);
    if (lane == 31u) {
        totals[warp] = own;
        totals_again[warp] = again;
    }
    vec4<T> starts = shifted(own, 1u), again_starts = shifted(again, 1u);
    if (lane == 0u) {
        starts = again_starts = vec4<T>();
    }
    __syncthreads();
    vec4<T> all = vec4<T>(), again_all = vec4<T>();
#pragma unroll
    for (u32 w = 0u; w < WARPS; w++) {
        if (w == warp) {
            starts += all;
            again_starts += again_all;
        }
        all += totals[w];
        again_all += totals_again[w];
    }
    again_starts += vec4<T>{T(), again_all.x, again_all.x + again_all.y, again_all.x + again_all.y + again_all.z};
    const T half = (again_all.x + again_all.y) + (again_all.z + again_all.w);
    starts += vec4<T>{half, half + all.x, half + all.x + all.y, half + all.x + all.y + all.z};
    if (warp == 0u) {
        const T aggregate = half + ((all.x + all.y) + (all.z + all.w));
        if (lane == 0u) {
            say(said + tile, tile == 0u ? INCLUSIVE : AGGREGATE, aggregate);
        }
        const T before = looked_back(input, said, tile, lane, n);
        if (lane == 0u) {
            if (tile > 0u) {
                say(said + tile, INCLUSIVE, before + aggregate);
            }
            tiles_before = before;
        }
    }
    __syncthreads();
    const T before = tiles_before;
    // Another pointer to the compiler, which would keep the rows in registers.
    const vec4<T>* cached = input;
    asm volatile("" : "+l"(cached));
    put(output, i, scanned(four(cached, i, n)), again_starts.x + before, n);
    put(output, i + WG, scanned(four(cached, i + WG, n)), again_starts.y + before, n);
    put(output, i + 2u * WG, scanned(four(cached, i + 2u * WG, n)), again_starts.z + before, n);
    put(output, i + 3u * WG, scanned(four(cached, i + 3u * WG, n)), again_starts.w + before, n);
    put(output, j, a, starts.x + before, n);
    put(output, j + WG, b, starts.y + before, n);
    put(output, j + 2u * WG, c, starts.z + before, n);
    put(output, j + 3u * WG, d, starts.w + before, n);
}
