// Included in front of every CUDA twin: WGSL's names for CUDA's types and functions, vector arithmetic, and the block
// index.

typedef unsigned int u32;

// Vector arithmetic by component, as in WGSL.
#define SHADERBENCH_VECTOR2(V, S, MAKE)                                                                                \
    __device__ __forceinline__ V operator+(V a, V b) { return MAKE(a.x + b.x, a.y + b.y); }                            \
    __device__ __forceinline__ V operator-(V a, V b) { return MAKE(a.x - b.x, a.y - b.y); }                            \
    __device__ __forceinline__ V operator*(V a, V b) { return MAKE(a.x * b.x, a.y * b.y); }                            \
    __device__ __forceinline__ V operator*(V a, S b) { return MAKE(a.x * b, a.y * b); }                                \
    __device__ __forceinline__ V operator*(S a, V b) { return b * a; }                                                 \
    __device__ __forceinline__ V& operator+=(V& a, V b) { return a = a + b; }

#define SHADERBENCH_VECTOR4(V, S, MAKE)                                                                                \
    __device__ __forceinline__ V operator+(V a, V b) { return MAKE(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }      \
    __device__ __forceinline__ V operator-(V a, V b) { return MAKE(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }      \
    __device__ __forceinline__ V operator*(V a, V b) { return MAKE(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }      \
    __device__ __forceinline__ V operator*(V a, S b) { return MAKE(a.x * b, a.y * b, a.z * b, a.w * b); }              \
    __device__ __forceinline__ V operator*(S a, V b) { return b * a; }                                                 \
    __device__ __forceinline__ V& operator+=(V& a, V b) { return a = a + b; }

SHADERBENCH_VECTOR2(float2, float, make_float2)
SHADERBENCH_VECTOR2(uint2, u32, make_uint2)
SHADERBENCH_VECTOR4(float4, float, make_float4)
SHADERBENCH_VECTOR4(uint4, u32, make_uint4)

// WGSL's fma by component; a scalar factor applies to every component. (CUDA has fma for float and double.)
__device__ __forceinline__ float2 fma(float2 a, float2 b, float2 c) {
    return make_float2(fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y));
}
__device__ __forceinline__ float4 fma(float4 a, float4 b, float4 c) {
    return make_float4(fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y), fmaf(a.z, b.z, c.z), fmaf(a.w, b.w, c.w));
}
__device__ __forceinline__ float4 fma(float a, float4 b, float4 c) {
    return make_float4(fmaf(a, b.x, c.x), fmaf(a, b.y, c.y), fmaf(a, b.z, c.z), fmaf(a, b.w, c.w));
}

// WGSL's f16 and vec2<f16>, which NVRTC has in a header only: their bits, with one instruction per operation. Only what
// is written as fma is fused.
struct f16 { unsigned short bits; };
struct f16x2 { u32 bits; };

#define SHADERBENCH_HALF(V, TYPE, R)                                                                                   \
    __device__ __forceinline__ V operator+(V a, V b) {                                                                 \
        V sum;                                                                                                         \
        asm("add.rn." TYPE " %0, %1, %2;" : "=" R(sum.bits) : R(a.bits), R(b.bits));                                   \
        return sum;                                                                                                    \
    }                                                                                                                  \
    __device__ __forceinline__ V operator-(V a, V b) {                                                                 \
        V difference;                                                                                                  \
        asm("sub.rn." TYPE " %0, %1, %2;" : "=" R(difference.bits) : R(a.bits), R(b.bits));                            \
        return difference;                                                                                             \
    }                                                                                                                  \
    __device__ __forceinline__ V fma(V a, V b, V c) {                                                                  \
        V sum;                                                                                                         \
        asm("fma.rn." TYPE " %0, %1, %2, %3;" : "=" R(sum.bits) : R(a.bits), R(b.bits), R(c.bits));                    \
        return sum;                                                                                                    \
    }

// WGSL's f32(x) of a scalar that the case's element type may be.
__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(f16 x) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}

SHADERBENCH_HALF(f16, "f16", "h")
SHADERBENCH_HALF(f16x2, "f16x2", "r")

// WGSL's vec4 of a scalar type with its alignment: one load or store moves as much of it as the device can. CUDA's own
// type is used, except for double, since double4's alignment differs between versions.
template <typename S> struct alignas(4 * sizeof(S)) Four { S x, y, z, w; };
template <typename S> struct FourOf { using type = Four<S>; };
template <> struct FourOf<float> { using type = float4; };
template <> struct FourOf<u32> { using type = uint4; };
template <typename S> using vec4 = typename FourOf<S>::type;

// A value of T in every component: WGSL's T(x).
template <typename V> __device__ __forceinline__ V splat(double x) { return V(x); }
template <> __device__ __forceinline__ float2 splat<float2>(double x) { return make_float2(x, x); }
template <> __device__ __forceinline__ float4 splat<float4>(double x) { return make_float4(x, x, x, x); }

// WGSL's unpack4x8unorm: four bytes as fractions of 255, the lowest byte first.
__device__ __forceinline__ float4 unpack4x8unorm(u32 bits) {
    const float4 levels = make_float4(bits & 255u, (bits >> 8) & 255u, (bits >> 16) & 255u, bits >> 24);
    return levels * (1.0f / 255.0f);
}

// WGSL's pack4x8unorm: components between 0 and 1, rounded to the nearest of 255 levels.
__device__ __forceinline__ u32 pack4x8unorm(float4 x) {
    const u32 a = __float2uint_rd(fmaf(255.0f, __saturatef(x.x), 0.5f));
    const u32 b = __float2uint_rd(fmaf(255.0f, __saturatef(x.y), 0.5f));
    const u32 c = __float2uint_rd(fmaf(255.0f, __saturatef(x.z), 0.5f));
    const u32 d = __float2uint_rd(fmaf(255.0f, __saturatef(x.w), 0.5f));
    return a | (b << 8) | (c << 16) | (d << 24);
}

// The block index as WGSL's kernels compute it: grids wider than 32,768 are folded.
__device__ __forceinline__ u32 block_index() { return blockIdx.y * gridDim.x + blockIdx.x; }

// WGSL's subgroupAdd in a block of THREADS along x: the sum over a warp, valid in its first lane. Every thread of the
// block must take part. The last warp of a block may be incomplete.
template <u32 THREADS, typename V> __device__ __forceinline__ V subgroup_add(V value) {
    const u32 lane = threadIdx.x % 32u;
    const u32 lanes = THREADS % 32u == 0u ? 32u : min(32u, THREADS - (threadIdx.x - lane));
    const u32 mask = 0xffffffffu >> (32u - lanes);
#pragma unroll
    for (u32 offset = 16u; offset > 0u; offset /= 2u) {
        const V other = __shfl_down_sync(mask, value, offset);
        // Lanes past the end of the warp hold no value; in a complete warp the first lane never reads them.
        if (THREADS % 32u == 0u || lane + offset < lanes) {
            value += other;
        }
    }
    return value;
}
// One instruction for integers, from compute capability 8.0 on.
#if __CUDA_ARCH__ >= 800
template <u32 THREADS> __device__ __forceinline__ u32 subgroup_add(u32 value) {
    const u32 first = threadIdx.x & ~31u;
    const u32 lanes = THREADS % 32u == 0u ? 32u : min(32u, THREADS - first);
    return __reduce_add_sync(0xffffffffu >> (32u - lanes), value);
}
#endif
