// Twin of single_pass.wgsl with shared memory and no shuffles; a tile publishes two words, since WGSL's atomics are 32
// bits wide.

struct Sizes { u32 n, tiles; };

// The result of a search back through `tiles` neighbouring tiles: their sum, and the status that ended the search.
struct Seen { u32 status, tiles; T sum; };

// Tiles read at a time, one per thread: a power of two.
constexpr u32 WINDOW = 32u;
// Status of a tile: nothing published, its own sum as another block added it up, its own sum, or the sum of all elements
// up to its end. A higher status replaces a lower one.
constexpr u32 SILENT = 0u;
constexpr u32 ADDED = 1u;
constexpr u32 AGGREGATE = 2u;
constexpr u32 INCLUSIVE = 3u;

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

// Publishes a sum. Each word holds half of the sum and the whole status: two words of one status belong together.
__device__ __forceinline__ void say(u32* state, u32 tile, u32 status, T sum) {
    const u32 bits = bits_of(sum);
    asm volatile("st.relaxed.gpu.u32 [%0], %1;"
                 : : "l"(state + 2u * tile + 2u), "r"((status << 16) | (bits & 0xffffu)));
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" : : "l"(state + 2u * tile + 3u), "r"((status << 16) | (bits >> 16)));
}

// Publishes a sum for a tile that has not, so that other blocks need not add it up. A word with a higher status stays, and
// the tile replaces ADDED by its own. All writers of ADDED add in the same order and write the same bits.
__device__ __forceinline__ void say_for(u32* state, u32 tile, T sum) {
    const u32 bits = bits_of(sum);
    atomicMax(state + 2u * tile + 2u, (ADDED << 16) | (bits & 0xffffu));
    atomicMax(state + 2u * tile + 3u, (ADDED << 16) | (bits >> 16));
}

// Reads what a tile has published, from L2.
__device__ __forceinline__ Seen heard(const u32* state, u32 tile) {
    u32 low, high;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(low) : "l"(state + 2u * tile + 2u));
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(high) : "l"(state + 2u * tile + 3u));
    const u32 status = low >> 16;
    if (status == SILENT || status != high >> 16) {
        return {SILENT, 0u, T()};
    }
    return {status, 1u, from_bits<T>((high << 16) | (low & 0xffffu))};
}

// Joins the tiles of `near` and the preceding tiles `far`. The search ends at a tile without a published sum and at one
// with an inclusive sum.
__device__ __forceinline__ Seen joined(const Seen& near, const Seen& far) {
    if (near.status == SILENT || near.status == INCLUSIVE) {
        return near;
    }
    return {far.status, near.tiles + far.tiles, near.sum + far.sum};
}

// The WINDOW tiles before tile `end`, from the last one back to the first without a published sum or with an inclusive
// one.
__device__ __forceinline__ Seen looked_back(Seen* seen, const u32* state, u32 end, u32 t) {
    if (t < WINDOW) {
        seen[t] = {SILENT, 0u, T()};
        if (t < end) {
            seen[t] = heard(state, end - 1u - t);
        }
    }
    __syncthreads();
    for (u32 s = 1u; s < WINDOW; s *= 2u) {
        if (t < WINDOW && t % (2u * s) == 0u) {
            seen[t] = joined(seen[t], seen[t + s]);
        }
        __syncthreads();
    }
    const Seen found = seen[0];
    __syncthreads();
    return found;
}

// The sum of a whole tile, from the input.
__device__ __forceinline__ T added_up(const vec4<T>* __restrict__ input, vec4<T>* sums, u32 tile, u32 t, u32 n) {
    const u32 i = tile * 4u * WG + t;
    __syncthreads(); // until all threads have read the sums of the last use
    sums[t] = (four(input, i, n) + four(input, i + WG, n))
              + (four(input, i + 2u * WG, n) + four(input, i + 3u * WG, n));
    __syncthreads();
    for (u32 s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            sums[t] += sums[t + s];
        }
        __syncthreads();
    }
    const vec4<T> all = sums[0];
    __syncthreads();
    return (all.x + all.y) + (all.z + all.w);
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const vec4<T>* __restrict__ input, vec4<T>* __restrict__ output, u32* state, const Sizes sizes) {
    __shared__ u32 ticket;
    __shared__ Seen seen[WINDOW];
    // Two vectors per thread: one half is read while the other is written.
    __shared__ vec4<T> sums[2u * WG];
    const u32 t = threadIdx.x, n = sizes.n;
    // Tiles are numbered in the order in which blocks start, so that all tiles before this one have started.
    if (t == 0u) {
        ticket = atomicAdd(state, 1u);
    }
    __syncthreads();
    const u32 tile = ticket;
    if (tile >= sizes.tiles) {
        return;
    }
    // Four rows of 4 WG elements, each scanned separately.
    const u32 i = tile * 4u * WG + t;
    vec4<T> a = scanned(four(input, i, n));
    vec4<T> b = scanned(four(input, i + WG, n));
    vec4<T> c = scanned(four(input, i + 2u * WG, n));
    vec4<T> d = scanned(four(input, i + 3u * WG, n));
    vec4<T> own = {a.w, b.w, c.w, d.w};
    sums[t] = own;
    __syncthreads();
    u32 half = 0u;
    for (u32 s = 1u; s < WG; s *= 4u) {
        if (t >= s) {
            own += sums[half + t - s];
        }
        if (t >= 2u * s) {
            own += sums[half + t - 2u * s];
        }
        if (t >= 3u * s) {
            own += sums[half + t - 3u * s];
        }
        half = WG - half;
        sums[half + t] = own;
        __syncthreads();
    }
    const vec4<T> all = sums[half + WG - 1u];
    const T aggregate = (all.x + all.y) + (all.z + all.w);
    vec4<T> starts = {T(), all.x, all.x + all.y, all.x + all.y + all.z};
    if (t > 0u) {
        starts += sums[half + t - 1u];
    }
    // Added before the look-back, so that it holds no registers meanwhile.
    a += vec4<T>{starts.x, starts.x, starts.x, starts.x};
    b += vec4<T>{starts.y, starts.y, starts.y, starts.y};
    c += vec4<T>{starts.z, starts.z, starts.z, starts.z};
    d += vec4<T>{starts.w, starts.w, starts.w, starts.w};
    if (t == 0u) {
        say(state, tile, tile == 0u ? INCLUSIVE : AGGREGATE, aggregate);
    }
    // The sum of tiles end to tile - 1; each iteration adds at least one tile.
    T before = T();
    u32 end = tile;
    while (end > 0u) {
        for (u32 look = 0u; look < LOOKS && end > 0u;) {
            const Seen found = looked_back(seen, state, end, t);
            before += found.sum;
            look = found.tiles == 0u ? look + 1u : 0u;
            end = found.status == INCLUSIVE ? 0u : end - found.tiles;
        }
        if (end > 0u) {
            end--;
            const T sum = added_up(input, sums, end, t, n);
            if (t == 0u) {
                say_for(state, end, sum);
            }
            before += sum;
        }
    }
    if (t == 0u && tile > 0u) {
        say(state, tile, INCLUSIVE, before + aggregate);
    }
    put(output, i, a, before, n);
    put(output, i + WG, b, before, n);
    put(output, i + 2u * WG, c, before, n);
    put(output, i + 3u * WG, d, before, n);
}
