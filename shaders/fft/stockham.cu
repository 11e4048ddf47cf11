// Twin of stockham.wgsl: the size is a constant of a template, so that passes unroll and addresses are computed once.

typedef float2 C;

// Sizes of transforms are powers of two, given by their logarithms.
struct Sizes { u32 transforms; };

constexpr u32 THREADS = 256u, POINTS = 16u;
constexpr u32 LOG_RADIX = RADIX == 16u ? 4u : RADIX == 8u ? 3u : RADIX == 4u ? 2u : 1u;
// cos 45 degrees, cos and sin 22.5 degrees.
constexpr T HALF = T(0.70710678118654752), COS = T(0.92387953251128674), SIN = T(0.38268343236508977);

// The product of complex numbers.
__device__ __forceinline__ C times(C a, C b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// The product with -i.
__device__ __forceinline__ C turned(C a) { return make_float2(a.y, -a.x); }

// The transform of four points.
__device__ __forceinline__ void four(C& a, C& b, C& c, C& d) {
    const C even = a + c, odd = b + d, difference = a - c, side = turned(b - d);
    a = even + odd;
    b = difference + side;
    c = even - odd;
    d = difference - side;
}

// The transform of eight points, `APART` apart: of four even and four odd points.
template <u32 APART> __device__ __forceinline__ void eight(C* x) {
    C e[4], o[4];
#pragma unroll
    for (u32 m = 0u; m < 4u; m++) {
        e[m] = x[2u * m * APART];
        o[m] = x[(2u * m + 1u) * APART];
    }
    four(e[0], e[1], e[2], e[3]);
    four(o[0], o[1], o[2], o[3]);
    o[1] = HALF * (o[1] + turned(o[1]));
    o[2] = turned(o[2]);
    o[3] = HALF * (turned(o[3]) - o[3]);
#pragma unroll
    for (u32 m = 0u; m < 4u; m++) {
        x[m * APART] = e[m] + o[m];
        x[(m + 4u) * APART] = e[m] - o[m];
    }
}

// The transform of sixteen points: of four times four.
__device__ __forceinline__ void sixteen(C* x) {
#pragma unroll
    for (u32 n = 0u; n < 4u; n++) {
        four(x[n], x[4u + n], x[8u + n], x[12u + n]);
    }
    x[5] = times(x[5], make_float2(COS, -SIN));
    x[6] = HALF * (x[6] + turned(x[6]));
    x[7] = times(x[7], make_float2(SIN, -COS));
    x[9] = HALF * (x[9] + turned(x[9]));
    x[10] = turned(x[10]);
    x[11] = HALF * (turned(x[11]) - x[11]);
    x[13] = times(x[13], make_float2(SIN, -COS));
    x[14] = HALF * (turned(x[14]) - x[14]);
    x[15] = times(x[15], make_float2(-COS, SIN));
    C y[POINTS];
#pragma unroll
    for (u32 k = 0u; k < 4u; k++) {
        four(x[4u * k], x[4u * k + 1u], x[4u * k + 2u], x[4u * k + 3u]);
#pragma unroll
        for (u32 m = 0u; m < 4u; m++) {
            y[k + 4u * m] = x[4u * k + m];
        }
    }
#pragma unroll
    for (u32 e = 0u; e < POINTS; e++) {
        x[e] = y[e];
    }
}

// All transforms of a pass of this radix that a thread has.
template <u32 LOG> __device__ __forceinline__ void transforms(C* x) {
    if (LOG == 4u) {
        sixteen(x);
    } else if (LOG == 3u) {
        eight<2u>(x);
        eight<2u>(x + 1);
    } else if (LOG == 2u) {
#pragma unroll
        for (u32 q = 0u; q < 4u; q++) {
            four(x[q], x[q + 4u], x[q + 8u], x[q + 12u]);
        }
    } else {
#pragma unroll
        for (u32 q = 0u; q < 8u; q++) {
            const C sum = x[q] + x[q + 8u];
            x[q + 8u] = x[q] - x[q + 8u];
            x[q] = sum;
        }
    }
}

// A permutation of positions: those that a warp accesses a power of two apart lie in different banks.
__device__ __forceinline__ u32 spread(u32 at) { return at ^ ((at >> 5) & 31u); }

// With RADIX=16, a thread's positions are one index and constant distances, and gaps keep them in different banks: a word
// after each 32 points (after each 16 where a warp has two transforms); in the second exchange 16 words after each 256.
template <u32 DONE, u32 EACH> struct Positions {
    static constexpr u32 GAP = EACH == 16u ? 4u : 5u;
    u32 to, from;

    __device__ __forceinline__ Positions(u32 number, u32 corner) {
        const u32 t = corner / POINTS + number, begin = corner + number;
        to = DONE == 0u ? POINTS * t + (POINTS * t >> GAP) : 272u * (t / 16u) + t % 16u;
        from = DONE == 0u ? begin + (begin >> GAP) : number + 17u * (corner / 16u);
    }

    __device__ __forceinline__ u32 written(u32 e) const { return to + (DONE == 0u ? e : 16u * e); }

    __device__ __forceinline__ u32 read(u32 e) const {
        return from + e * EACH + (DONE == 0u ? e * (EACH >> GAP) : 16u * (e * EACH >> 8));
    }
};

// Multiplies `COUNT` points, `APART` apart, by the powers of a factor, of which the first and the fourth are given.
template <u32 COUNT, u32 APART> __device__ __forceinline__ void by_powers(C* x, C w1, C w4) {
    C power[COUNT];
    power[1] = w1;
    if constexpr (COUNT > 2u) {
        power[2] = times(w1, w1);
        power[3] = times(power[2], w1);
    }
#pragma unroll
    for (u32 m = 4u; m < COUNT; m += 4u) {
        power[m] = m == 4u ? w4 : times(power[m - 4u], w4);
#pragma unroll
        for (u32 k = 1u; k < 4u; k++) {
            power[m + k] = times(power[m], power[k]);
        }
    }
#pragma unroll
    for (u32 m = 1u; m < COUNT; m++) {
        x[m * APART] = times(x[m * APART], power[m]);
    }
}

// This pass and those after it. `DONE` is the logarithm of the points of a transform so far, `TABLE` where the factors of
// this pass start.
template <u32 DONE, u32 TABLE>
__device__ __forceinline__ void passes(C* x, T* parts, const C* __restrict__ twiddles, u32 number, u32 corner) {
    if constexpr (DONE < LOG_POINTS) {
        constexpr u32 LOG = LOG_RADIX < LOG_POINTS - DONE ? LOG_RADIX : LOG_POINTS - DONE;
        constexpr u32 EACH = 1u << (LOG_POINTS - 4u), APART = 1u << (4u - LOG), BEFORE = 1u << DONE;
        if constexpr (DONE > 0u && LOG_RADIX == 4u) {
            // Two factors from the table; the others are products of them.
#pragma unroll
            for (u32 g = 0u; g < APART; g++) {
                const u32 k = (number + g * EACH) & (BEFORE - 1u);
                const C w4 = LOG > 2u ? twiddles[TABLE + (LOG > 2u ? 3u * BEFORE : 0u) + k] : C();
                by_powers<(1u << LOG), APART>(x + g, twiddles[TABLE + k], w4);
            }
        } else if (DONE > 0u) {
            // Point e is the point e / APART of group e % APART.
#pragma unroll
            for (u32 e = APART; e < POINTS; e++) {
                const u32 k = (number + e % APART * EACH) & (BEFORE - 1u);
                x[e] = times(x[e], twiddles[TABLE + (e / APART - 1u) * BEFORE + k]);
            }
        }
        transforms<LOG>(x);
        if (DONE + LOG < LOG_POINTS) {
            u32 to[POINTS], from[POINTS];
            C next[POINTS];
            const Positions<DONE, EACH> positions(number, corner);
#pragma unroll
            for (u32 e = 0u; e < POINTS; e++) {
                const u32 j = number + e % APART * EACH, k = j & (BEFORE - 1u);
                const u32 moved = spread(corner + ((j - k) << LOG) + k + e / APART * BEFORE);
                to[e] = LOG_RADIX == 4u ? positions.written(e) : moved;
                from[e] = LOG_RADIX == 4u ? positions.read(e) : spread(corner + number + e * EACH);
            }
            __syncthreads(); // until all threads have read the parts of the last use
#pragma unroll
            for (u32 e = 0u; e < POINTS; e++) { parts[to[e]] = x[e].x; }
            __syncthreads();
#pragma unroll
            for (u32 e = 0u; e < POINTS; e++) { next[e].x = parts[from[e]]; }
            __syncthreads();
#pragma unroll
            for (u32 e = 0u; e < POINTS; e++) { parts[to[e]] = x[e].y; }
            __syncthreads();
#pragma unroll
            for (u32 e = 0u; e < POINTS; e++) {
                next[e].y = parts[from[e]];
                x[e] = next[e];
            }
        }
        constexpr u32 NEXT = DONE > 0u ? TABLE + ((1u << LOG) - 1u) * BEFORE : TABLE;
        passes<DONE + LOG, NEXT>(x, parts, twiddles, number, corner);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
kernel(
    const C* __restrict__ input, C* __restrict__ output, const C* __restrict__ twiddles, const Sizes sizes) {
    __shared__ T parts[17u * THREADS];
    constexpr u32 EACH = 1u << (LOG_POINTS - 4u);
    const u32 number = threadIdx.x % EACH, corner = (threadIdx.x - number) * POINTS;
    const u32 first = block_index() * POINTS * THREADS + corner;
    const bool is_inside = first < sizes.transforms << LOG_POINTS;
    C x[POINTS];
#pragma unroll
    for (u32 e = 0u; e < POINTS; e++) {
        x[e] = is_inside ? input[first + number + e * EACH] : C();
    }
    passes<0u, 0u>(x, parts, twiddles, number, corner);
    if (is_inside) {
#pragma unroll
        for (u32 e = 0u; e < POINTS; e++) {
            output[first + number + e * EACH] = x[e];
        }
    }
}
