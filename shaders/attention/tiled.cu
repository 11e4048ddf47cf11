// Twin of tiled.wgsl: the same tiles, with the four queries of a thread in loops that are unrolled, and the fast
// exponential, whose error WGSL allows too.

struct Sizes { u32 heads, length; };

constexpr u32 QUERIES = 64u;
constexpr u32 KEYS = 16u;
constexpr u32 WIDTH = D / 4u;
constexpr u32 PITCH = WIDTH + 1u;
// Queries and output vectors of a thread.
constexpr u32 ROWS = 4u;
constexpr u32 PARTS = WIDTH / 8u;
constexpr float LOWEST = -3.402823466e38f;

__device__ __forceinline__ float with_product(float sum, float4 a, float4 b) {
    return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
}

__device__ __forceinline__ void add_scaled(float4& sum, float factor, float4 x) {
    sum.x = fmaf(factor, x.x, sum.x);
    sum.y = fmaf(factor, x.y, sum.y);
    sum.z = fmaf(factor, x.z, sum.z);
    sum.w = fmaf(factor, x.w, sum.w);
}

// Copies 16 rows of keys or values from row `first` on; rows beyond the last are read as the last one.
__device__ __forceinline__ void bring(float4* tile, const float4* __restrict__ rows, u32 first, u32 last) {
#pragma unroll
    for (u32 i = threadIdx.x; i < KEYS * WIDTH; i += 128u) {
        const u32 at = min(first + i / WIDTH, last);
        tile[i / WIDTH * PITCH + i % WIDTH] = rows[at * WIDTH + i % WIDTH];
    }
}

extern "C" __global__ void __launch_bounds__(128)
kernel(
    const float4* __restrict__ q, const float4* __restrict__ k, const float4* __restrict__ v,
    float4* __restrict__ output, const Sizes sizes
) {
    __shared__ float4 tile[KEYS * PITCH];
    __shared__ __align__(16) float weights[QUERIES * 20u];
    __shared__ __align__(16) float maxima[QUERIES * 8u];
    const u32 t = threadIdx.x;
    const u32 number = block_index();
    const u32 length = sizes.length;
    const u32 blocks = (length + QUERIES - 1u) / QUERIES;
    if (number >= sizes.heads * blocks) {
        return;
    }
    // Causal: the longest rows first, so that the last blocks to run are short.
    const u32 head = CAUSAL == 1u ? number % sizes.heads : number / blocks;
    const u32 block = CAUSAL == 1u ? blocks - 1u - number / sizes.heads : number % blocks;
    const u32 first = block * QUERIES;
    const u32 end = CAUSAL == 1u ? min(first + QUERIES, length) : length;
    const float4* keys = k + head * length * WIDTH;
    const float4* values = v + head * length * WIDTH;
    const u32 lane = t % 8u;
    const u32 own = t / 8u;
    const float scale = rsqrtf(static_cast<float>(D));
    u32 row[ROWS];
    float top[ROWS], sum[ROWS];
    float4 o[ROWS][PARTS];
#pragma unroll
    for (u32 r = 0u; r < ROWS; r++) {
        row[r] = min(first + own + 16u * r, length - 1u);
        top[r] = LOWEST;
        sum[r] = 0.0f;
#pragma unroll
        for (u32 i = 0u; i < PARTS; i++) {
            o[r][i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    }
    for (u32 key = 0u; key < end; key += KEYS) {
        bring(tile, keys, key, length - 1u);
        __syncthreads();
        float a[ROWS] = {}, b[ROWS] = {};
#pragma unroll 4
        for (u32 c = 0u; c < WIDTH; c++) {
            const float4 key_a = tile[lane * PITCH + c];
            const float4 key_b = tile[(lane + 8u) * PITCH + c];
#pragma unroll
            for (u32 r = 0u; r < ROWS; r++) {
                const float4 query = q[(head * length + row[r]) * WIDTH + c];
                a[r] = with_product(a[r], query, key_a);
                b[r] = with_product(b[r], query, key_b);
            }
        }
#pragma unroll
        for (u32 r = 0u; r < ROWS; r++) {
            const u32 limit = CAUSAL == 1u ? row[r] : length - 1u;
            a[r] = key + lane <= limit ? a[r] * scale : LOWEST;
            b[r] = key + lane + 8u <= limit ? b[r] * scale : LOWEST;
            maxima[(own + 16u * r) * 8u + lane] = fmaxf(a[r], b[r]);
        }
        __syncthreads();
        float factor[ROWS];
#pragma unroll
        for (u32 r = 0u; r < ROWS; r++) {
            const float4* among = reinterpret_cast<const float4*>(&maxima[(own + 16u * r) * 8u]);
            const float low = fmaxf(fmaxf(among[0].x, among[0].y), fmaxf(among[0].z, among[0].w));
            const float high = fmaxf(fmaxf(among[1].x, among[1].y), fmaxf(among[1].z, among[1].w));
            const float larger = fmaxf(top[r], fmaxf(low, high));
            factor[r] = __expf(top[r] - larger);
            top[r] = larger;
            weights[(own + 16u * r) * 20u + lane] = __expf(a[r] - larger);
            weights[(own + 16u * r) * 20u + lane + 8u] = __expf(b[r] - larger);
        }
        // Every thread has read the keys.
        bring(tile, values, key, length - 1u);
        __syncthreads();
#pragma unroll
        for (u32 r = 0u; r < ROWS; r++) {
            sum[r] *= factor[r];
#pragma unroll
            for (u32 i = 0u; i < PARTS; i++) {
                o[r][i] = o[r][i] * factor[r];
            }
        }
#pragma unroll
        for (u32 four = 0u; four < KEYS / 4u; four++) {
            float4 p[ROWS];
#pragma unroll
            for (u32 r = 0u; r < ROWS; r++) {
                p[r] = *reinterpret_cast<const float4*>(&weights[(own + 16u * r) * 20u + 4u * four]);
                sum[r] += (p[r].x + p[r].y) + (p[r].z + p[r].w);
            }
#pragma unroll
            for (u32 i = 0u; i < PARTS; i++) {
                const float4* from = tile + 4u * four * PITCH + lane + 8u * i;
#pragma unroll
                for (u32 r = 0u; r < ROWS; r++) {
                    add_scaled(o[r][i], p[r].x, from[0]);
                    add_scaled(o[r][i], p[r].y, from[PITCH]);
                    add_scaled(o[r][i], p[r].z, from[2u * PITCH]);
                    add_scaled(o[r][i], p[r].w, from[3u * PITCH]);
                }
            }
        }
        // Before the next keys.
        __syncthreads();
    }
#pragma unroll
    for (u32 r = 0u; r < ROWS; r++) {
        if (first + own + 16u * r < length) {
            const float factor = 1.0f / sum[r];
#pragma unroll
            for (u32 i = 0u; i < PARTS; i++) {
                output[(head * length + row[r]) * WIDTH + lane + 8u * i] = o[r][i] * factor;
            }
        }
    }
}
