// Twin of onesweep.wgsl: the same tiles, ranks, look-back and fallback, with warps of 32 and unrolled loops.

static_assert(WG % 32u == 0u, "a block must be of whole warps");

struct Sizes { u32 n, tiles, shift, is_counting; };

constexpr u32 FULL = 0xffffffffu;
constexpr u32 ITEMS = 16u;
constexpr u32 DIGITS = 256u, PASSES = 4u;
// Where tiles start in `state`.
constexpr u32 TILES = PASSES * DIGITS;
// The status of a published count, in its upper two bits: nothing published, keys of this tile, or keys of this digit and
// all smaller ones in all tiles up to this one.
constexpr u32 AGGREGATE = 1u << 30, INCLUSIVE = 2u << 30, COUNT = AGGREGATE - 1u;

// Blocks per SM to ask for. With keys alone, the compiler would take more registers than their gain is worth (measured on
// compute capability 9.0). Before 8.0 an SM holds fewer threads.
constexpr u32 BLOCKS = PAIRS == 0u && __CUDA_ARCH__ >= 800 ? 1536u / WG : 1u;

struct Shared {
    // Digit counters, one row for each warp; then the sorted tile.
    u32 words[ITEMS * WG];
    // Keys of the tile with smaller digits.
    u32 starts[DIGITS];
    // Sums of the warps' parts of the digits.
    u32 parts[DIGITS / 32u];
    // Keys of each digit before the tile; at the end, what is added to a position in the tile to give that in the result.
    u32 offsets[DIGITS];
    // For each digit, the tile where the look-back stands.
    u32 ends[DIGITS];
    u32 late[DIGITS];
    u32 latest;
};

__device__ __forceinline__ u32 heard(const u32* word) {
    u32 value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word));
    return value;
}

__device__ __forceinline__ void say(u32* word, u32 value) {
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" : : "l"(word), "r"(value));
}

__device__ __forceinline__ u32 digit_of(u32 key, u32 shift) { return (key >> shift) & 255u; }

// Counts the digits of all passes in four tiles.
__device__ __forceinline__ void count_all(Shared& shared, const u32* __restrict__ source, u32* state, u32 n, u32 t) {
    for (u32 k = t; k < PASSES * DIGITS; k += WG) {
        shared.words[k] = 0u;
    }
    __syncthreads();
    const u32 first = block_index() * 4u * ITEMS * WG, end = min(first + 4u * ITEMS * WG, n);
#pragma unroll 8
    for (u32 i = first + t; i < end; i += WG) {
        const u32 key = source[i];
#pragma unroll
        for (u32 digit = 0u; digit < PASSES; digit++) {
            atomicAdd(&shared.words[digit * DIGITS + digit_of(key, 8u * digit)], 1u);
        }
    }
    __syncthreads();
    for (u32 k = t; k < PASSES * DIGITS; k += WG) {
        const u32 sum = shared.words[k];
        if (sum > 0u) {
            atomicAdd(&state[k], sum);
        }
    }
}

// The position of a key in the sorted tile. The last lane with this digit claims positions for all of them.
__device__ __forceinline__ u32 rank(u32* row, u32 digit, u32 lane) {
    u32 same = FULL;
#pragma unroll
    for (u32 bit = 0u; bit < 8u; bit++) {
        const bool own = (digit >> bit & 1u) != 0u;
        const u32 ones = __ballot_sync(FULL, own);
        same &= own ? ones : ~ones;
    }
    u32 begin = 0u;
    if (same >> lane == 1u) {
        begin = atomicAdd(&row[digit], __popc(same));
    }
    return __shfl_sync(FULL, begin, 31u - __clz(same)) + __popc(same & ((1u << lane) - 1u));
}

// Turns the 256 values in `starts` into the sum of all before each; each thread may then read those it wrote.
__device__ __forceinline__ void sum_up(u32* starts, u32* parts, u32 t) {
    for (u32 begin = 0u; begin < DIGITS; begin += WG) {
        const u32 d = begin + t;
        const u32 own = d < DIGITS ? starts[d] : 0u;
        u32 upto = own;
#pragma unroll
        for (u32 step = 1u; step < 32u; step *= 2u) {
            const u32 other = __shfl_up_sync(FULL, upto, step);
            upto += t % 32u >= step ? other : 0u;
        }
        if (d < DIGITS) {
            starts[d] = upto - own;
            if (t % 32u == 31u) {
                parts[d / 32u] = upto;
            }
        }
    }
    __syncthreads();
    for (u32 d = t; d < DIGITS; d += WG) {
        u32 sum = starts[d];
        for (u32 part = 0u; part < d / 32u; part++) {
            sum += parts[part];
        }
        starts[d] = sum;
    }
}

// Counts the digits of another tile, and publishes the counts. What the tile published meanwhile stays: its counts are
// the same, and inclusive ones are larger words. Those of the first tile start with the smaller digits of all tiles.
__device__ __noinline__ void count_for(
    u32* late, const u32* __restrict__ source, const u32* counts, u32* tiles, u32 tile, u32 shift, u32 t) {
    for (u32 d = t; d < DIGITS; d += WG) {
        late[d] = 0u;
    }
    __syncthreads();
    for (u32 k = 0u; k < ITEMS; k++) {
        atomicAdd(&late[digit_of(source[(tile * ITEMS + k) * WG + t], shift)], 1u);
    }
    __syncthreads();
    for (u32 d = t; d < DIGITS; d += WG) {
        u32 word = AGGREGATE | late[d];
        if (tile == 0u) {
            word += INCLUSIVE - AGGREGATE;
            for (u32 smaller = 0u; smaller < d; smaller++) {
                word += counts[smaller];
            }
        }
        atomicMax(&tiles[tile * DIGITS + d], word);
    }
}

// Finds how many keys of each digit come before the tile, and publishes how many there are up to its end. Each round ends
// at a tile that stays unpublished, whose keys the block then counts: every loop is bounded.
__device__ __forceinline__ void look_back(
    Shared& shared, const u32* __restrict__ source, const u32* counts, u32* tiles, u32 tile, u32 shift, u32 t) {
    for (;;) {
        for (u32 d = t; d < DIGITS; d += WG) {
            if (shared.ends[d] == 0u && tile > 0u) {
                continue;
            }
            u32 end = shared.ends[d], sum = shared.offsets[d];
            for (u32 looks = 0u; end > 0u && looks <= LOOKS; looks++) {
                // Four tiles at a time; before tile 0 none is read, since its count is inclusive.
                u32 words[4];
#pragma unroll
                for (u32 k = 0u; k < 4u; k++) {
                    words[k] = heard(tiles + (max(end, k + 1u) - k - 1u) * DIGITS + d);
                }
                bool is_open = true;
#pragma unroll
                for (u32 k = 0u; k < 4u; k++) {
                    is_open = is_open && end > 0u && words[k] >= AGGREGATE;
                    if (is_open) {
                        sum += words[k] & COUNT;
                        end = words[k] >= INCLUSIVE ? 0u : end - 1u;
                        looks = 0u;
                    }
                }
            }
            const u32 start = shared.starts[d];
            const u32 own = (d + 1u < DIGITS ? shared.starts[d + 1u] : ITEMS * WG) - start;
            if (end == 0u && tile > 0u) {
                say(tiles + tile * DIGITS + d, INCLUSIVE | (sum + own));
            }
            // Of tile 0 all is known.
            shared.offsets[d] = end == 0u ? sum - start : sum;
            shared.ends[d] = end;
            if (end > 0u) {
                atomicMax(&shared.latest, end);
            }
        }
        __syncthreads();
        const u32 end = shared.latest;
        __syncthreads();
        if (end == 0u) {
            return;
        }
        if (t == 0u) {
            shared.latest = 0u;
        }
        count_for(shared.late, source, counts, tiles, end - 1u, shift, t);
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(WG, BLOCKS)
kernel(const T* __restrict__ source, T* result, u32* state, const Sizes sizes) {
    __shared__ Shared shared;
    const u32 t = threadIdx.x, lane = t % 32u, n = sizes.n, shift = sizes.shift, sweep = shift / 8u;
    if (sizes.is_counting == 1u) {
        count_all(shared, source, state, n, t);
        return;
    }
    const u32 tile = block_index();
    if (tile >= sizes.tiles) {
        return;
    }
    if (t == 0u) {
        shared.latest = 0u;
    }
    for (u32 k = t; k < WG / 32u * DIGITS; k += WG) {
        shared.words[k] = 0u;
    }
    __syncthreads();
    if (tile == 0u) {
        for (u32 d = t; d < DIGITS; d += WG) {
            shared.starts[d] = state[sweep * DIGITS + d];
        }
        sum_up(shared.starts, shared.parts, t);
        for (u32 d = t; d < DIGITS; d += WG) {
            shared.offsets[d] = shared.starts[d];
        }
        __syncthreads();
    }
    // Each warp has neighbouring keys, its lanes one after the other. Beyond the last they are the largest key, which
    // comes last in its tile.
    const u32 first = tile * ITEMS * WG + (t - lane) * ITEMS + lane;
    u32 keys[ITEMS], to[ITEMS];
#pragma unroll
    for (u32 k = 0u; k < ITEMS; k++) {
        const u32 i = first + 32u * k;
        keys[k] = i < n ? source[i] : FULL;
    }
    u32* row = shared.words + t / 32u * DIGITS;
#pragma unroll
    for (u32 k = 0u; k < ITEMS; k++) {
        atomicAdd(&row[digit_of(keys[k], shift)], 1u);
    }
    __syncthreads();
    // Counts are published before keys are ranked: later tiles need no more. Rows of counters become the keys in the rows
    // before.
    u32* tiles = state + TILES + sweep * sizes.tiles * DIGITS;
    for (u32 d = t; d < DIGITS; d += WG) {
        u32 sum = 0u;
#pragma unroll
        for (u32 r = 0u; r < WG / 32u; r++) {
            const u32 own = shared.words[r * DIGITS + d];
            shared.words[r * DIGITS + d] = sum;
            sum += own;
        }
        shared.starts[d] = sum;
        if (tile == 0u) {
            say(tiles + d, INCLUSIVE | (shared.offsets[d] + sum));
        } else {
            say(tiles + tile * DIGITS + d, AGGREGATE | sum);
            shared.offsets[d] = 0u;
        }
        shared.ends[d] = tile;
    }
    sum_up(shared.starts, shared.parts, t);
    for (u32 d = t; d < DIGITS; d += WG) {
#pragma unroll
        for (u32 r = 0u; r < WG / 32u; r++) {
            shared.words[r * DIGITS + d] += shared.starts[d];
        }
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0u; k < ITEMS; k++) {
        to[k] = rank(row, digit_of(keys[k], shift), lane);
        __syncwarp();
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0u; k < ITEMS; k++) {
        shared.words[to[k]] = keys[k];
    }
    look_back(shared, source, state + sweep * DIGITS, tiles, tile, shift, t);
    const u32 count = min(ITEMS * WG, n - tile * ITEMS * WG);
    u32 moved[ITEMS];
#pragma unroll
    for (u32 k = 0u; k < ITEMS; k++) {
        const u32 slot = k * WG + t, key = shared.words[slot];
        moved[k] = shared.offsets[digit_of(key, shift)] + slot;
        if (slot < count) {
            result[moved[k]] = key;
        }
    }
    if (PAIRS == 1u) {
        u32 values[ITEMS];
#pragma unroll
        for (u32 k = 0u; k < ITEMS; k++) {
            const u32 i = first + 32u * k;
            values[k] = i < n ? source[n + i] : 0u;
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0u; k < ITEMS; k++) {
            shared.words[to[k]] = values[k];
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0u; k < ITEMS; k++) {
            const u32 slot = k * WG + t;
            if (slot < count) {
                result[n + moved[k]] = shared.words[slot];
            }
        }
    }
}
