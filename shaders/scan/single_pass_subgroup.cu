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
    for (u32 k = lane; k < 4u * WG; k += 32u) {
        sum += four(input, tile * 4u * WG + k, n);
    }
    return warp_sum((sum.x + sum.y) + (sum.z + sum.w));
}

// The sum of all tiles before `tile`, by one warp: it reads the 32 nearest tiles, from the last one back to the first
// without a published sum or with an inclusive one, then the 32 before these. Each iteration adds at least one tile.
__device__ __forceinline__ T looked_back(
    const vec4<T>* __restrict__ input, u64* said, u32 tile, u32 lane, u32 n) {
    T before = T();
    u32 end = tile;
    if (tile >= FIRST) {
        __nanosleep(7u * PAUSE);
    }
    while (end > 0u) {
        u32 status = SILENT, tiles = 0u;
        T sum = T();
        for (u32 look = 0u; tiles == 0u && look != LOOKS; look++) {
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
        } else {
            before += warp_sum(lane < tiles ? sum : T());
            end = status == INCLUSIVE ? 0u : end - tiles;
        }
    }
    return before;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const vec4<T>* __restrict__ input, vec4<T>* __restrict__ output, u32* state, const Sizes sizes) {
    __shared__ u32 ticket;
    __shared__ T tiles_before;
    __shared__ vec4<T> totals[WARPS];
    const u32 t = threadIdx.x, lane = t % 32u, warp = t / 32u, n = sizes.n;
    // Tiles are numbered in the order in which blocks start, so that all tiles before this one have started.
    if (t == 0u) {
        ticket = atomicAdd(state, 1u);
    }
    __syncthreads();
    const u32 tile = ticket;
    if (tile >= sizes.tiles) {
        return;
    }
    // After the two words of the tile counter, 64 bits per tile.
    u64* said = reinterpret_cast<u64*>(state) + 1u;
    // Four rows of 4 WG elements, each scanned separately.
    const u32 i = tile * 4u * WG + t;
    const vec4<T> a = scanned(four(input, i, n));
    const vec4<T> b = scanned(four(input, i + WG, n));
    const vec4<T> c = scanned(four(input, i + 2u * WG, n));
    const vec4<T> d = scanned(four(input, i + 3u * WG, n));
    vec4<T> own = {a.w, b.w, c.w, d.w};
#pragma unroll
    for (u32 s = 1u; s < 32u; s *= 2u) {
        const vec4<T> other = shifted(own, s);
        if (lane >= s) {
            own += other;
        }
    }
    if (lane == 31u) {
        totals[warp] = own;
    }
    vec4<T> starts = shifted(own, 1u);
    if (lane == 0u) {
        starts = vec4<T>();
    }
    __syncthreads();
    vec4<T> all = vec4<T>();
#pragma unroll
    for (u32 w = 0u; w < WARPS; w++) {
        if (w == warp) {
            starts += all;
        }
        all += totals[w];
    }
    starts += vec4<T>{T(), all.x, all.x + all.y, all.x + all.y + all.z};
    if (warp == 0u) {
        const T aggregate = (all.x + all.y) + (all.z + all.w);
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
    put(output, i, a, starts.x + before, n);
    put(output, i + WG, b, starts.y + before, n);
    put(output, i + 2u * WG, c, starts.z + before, n);
    put(output, i + 3u * WG, d, starts.w + before, n);
}
