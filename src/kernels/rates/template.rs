//! The macro that makes a benchmark of an instruction.

/// A benchmark: its name, the element type in memory and that of the chains, the operations of a step, and the step in
/// WGSL, in CUDA C++ and on the host, from the chain's value `x`, the one before `y`, a factor `m` (of floats ±1) and `p`.
/// With a tolerance where results are not exact.
macro_rules! rate {
    ($name:ident, $dtype:ident $scalar:ident, $operations:literal $first:ident, $wgsl:literal, $cuda:literal, $step:expr) => {
        Benchmark {
            name: stringify!($name),
            summary: concat!("chains of x = ", $wgsl),
            look_for: concat!("The rate of ", stringify!($name), " with CHAINS=8 as a fraction of f32_fma; its time for one step with CHAINS=1."),
            limited_by: concat!("The unit for ", stringify!($name), ", or for the instructions that replace it; with CHAINS=1 its latency."),
            wgsl: concat!(
                "// Chains of x = ", $wgsl, " in each invocation, 32 ROUNDS + 1 steps each.\n",
                "// Pattern: no memory; with CHAINS=8 eight chains, whose sum is stored, with CHAINS=1 one chain.\n",
                "// Work: ", stringify!($operations), " · CHAINS · (32 ROUNDS + 1) operations for each of n values (2 for an FMA).\n\n",
                wgsl_type!($scalar),
                include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/rates/chains.wgsl.in")),
                wgsl_memory!(none),
                "/// The first value of a chain.\nfn first(word: u32) -> S {\n    return ", stringify!($first), "(word);\n}\n\n",
                "fn step(x: S, y: S, m: S, p: P) -> S {\n    return ", $wgsl, ";\n}\n"
            ),
            cuda: concat!(
                "// Twin of ", stringify!($name), ".wgsl: the same code.\n\n",
                cuda_type!($scalar),
                cuda_memory!(none),
                "__device__ __forceinline__ S first(u32 word) { return ", stringify!($first), "(word); }\nstruct Sizes;\n__device__ __forceinline__ S step(S x, S y, S m, P p, const Sizes& sizes);\n\n",
                include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/rates/chains.cu.in")),
                "\n__device__ __forceinline__ S step(S x, S y, S m, P p, const Sizes& sizes) {\n    return ", $cuda, ";\n}\n"
            ),
            cases: &[
                Cases::standard(&[Dtype::$dtype], MANY, RATE),
                Cases::standard(&[Dtype::$dtype], FEW, LATENCY),
            ],
            unsupported: |shape| (shape.dtype != Dtype::$dtype).then_some("the element type is part of its name"),
            check: Check { oracle: |shape, _| chains::<$scalar>(shape, <$scalar as Word>::$first, $step), ..BASE.check },
            work: |shape| Work { bytes: 0, flops: flops(stringify!($name)) * steps(shape) },
            ..BASE
        }
    };
    ($name:ident, $dtype:ident $scalar:ident, $operations:literal $first:ident, $wgsl:literal, $cuda:literal, $step:expr, $tolerance:expr) => {
        Benchmark {
            tolerance: Some(|shape, _| {
                let bound: fn(&Shape) -> record::suite::Oracle = $tolerance;
                bound(shape)
            }),
            ..rate!($name, $dtype $scalar, $operations $first, $wgsl, $cuda, $step)
        }
    };
}

/// A benchmark of an atomic operation: its name, the element type and that of the chains, where the words lie, the first
/// value, the operation on `p`, the chain's own word, in WGSL and in CUDA C++, and on the host the new word from the
/// operand `x`, the old word and `m`. The operand is the word as the operation before found it: each waits for the one
/// before.
macro_rules! atomic {
    ($name:ident, $dtype:ident $scalar:ident $memory:ident, $first:ident, $wgsl:literal, $cuda:literal, $new:expr) => {
        Benchmark {
            limited_by: concat!("The unit for ", stringify!($name), ", near workgroup memory or in L2; with CHAINS=1 the way there and back."),
            wgsl: concat!(
                "// Chains of x = ", $wgsl, " in each invocation, 32 ROUNDS + 1 steps each.\n",
                "// Pattern: each chain has a word of its own, neighbouring lanes neighbouring ones; CHAINS as in the other kernels.\n",
                "// Work: CHAINS · (32 ROUNDS + 1) atomic operations for each of n values.\n\n",
                wgsl_type!($scalar),
                include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/rates/chains.wgsl.in")),
                wgsl_memory!($memory),
                "/// The first value of a chain.\nfn first(word: u32) -> S {\n    return ", stringify!($first), "(word >> 2u);\n}\n\n",
                "fn step(x: S, y: S, m: S, p: P) -> S {\n    return ", $wgsl, ";\n}\n"
            ),
            cuda: concat!(
                "// Twin of ", stringify!($name), ".wgsl: the same code.\n\n",
                cuda_type!($scalar),
                "__device__ __forceinline__ S first(u32 word) { return ", stringify!($first), "(word >> 2u); }\n",
                cuda_memory!($memory),
                "struct Sizes;\n__device__ __forceinline__ S step(S x, S y, S m, P p, const Sizes& sizes);\n\n",
                include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/rates/chains.cu.in")),
                "\n__device__ __forceinline__ S step(S x, S y, S m, P p, const Sizes& sizes) {\n    return ", $cuda, ";\n}\n"
            ),
            cases: &[
                Cases::standard(&[Dtype::$dtype], ATOMICS, RATE_OF_ATOMICS),
                Cases::standard(&[Dtype::$dtype], FEW, LATENCY_OF_ATOMICS),
            ],
            accepts: ATOMIC,
            buffers: |shape, interface| with_words!($memory $scalar, buffers(shape, LANES), shape, interface),
            check: Check { oracle: |shape, _| words::<$scalar>(shape, <$scalar as Word>::$first, $new), ..BASE.check },
            ..rate!($name, $dtype $scalar, 1 $first, $wgsl, $cuda, |x, _, _, _| x)
        }
    };
}

/// Buffers, with one for the words if they lie in global memory.
macro_rules! with_words {
    (workgroup $scalar:ident, $buffers:expr, $shape:ident, $interface:ident) => {{
        let _ = $interface;
        $buffers
    }};
    (global $scalar:ident, $buffers:expr, $shape:ident, $interface:ident) => {
        $buffers.into_iter().chain([global_words($shape, $interface, size_of::<$scalar>())]).collect()
    };
}

/// What a chain owns in WGSL, `P`: a value, or the index of its word among `words`. Behind the overrides: naga 30 panics
/// where the length of an array comes before the overrides that it names.
macro_rules! wgsl_memory {
    (none) => {
        "alias P = S;\nfn own(word: u32, i: u32, number: u32) -> P { return start(word); }\n\n"
    };
    (workgroup) => {
        "alias P = u32;\nvar<workgroup> words: array<atomic<S>, WG * CHAINS>;\n\n\
         fn own(word: u32, i: u32, number: u32) -> P {\n    let p = number * WG + i % WG;\n    \
         atomicStore(&words[p], first(word));\n    return p;\n}\n\n"
    };
    (global) => {
        "alias P = u32;\n@group(0) @binding(3) var<storage, read_write> words: array<atomic<S>>;\n\n\
         /// Invocations beyond the end share the words behind those of the last.\n\
         fn own(word: u32, i: u32, number: u32) -> P {\n    let at = min(i, sizes.elements);\n    \
         let p = (at / WG * CHAINS + number) * WG + at % WG;\n    \
         atomicStore(&words[p], first(word));\n    return p;\n}\n\n"
    };
}

/// The same in CUDA C++, with the address of the word: `OWN` in the kernel, and `WORDS`, one more parameter.
macro_rules! cuda_memory {
    (none) => {
        "typedef S P;\n#define WORDS\n#define OWN start(lane[number + 9u])\n"
    };
    (workgroup) => {
        "typedef S* P;\n__shared__ S words[WG * CHAINS];\n\
         __device__ __forceinline__ P stored_at(P p, S x) { *p = x; return p; }\n\
         #define WORDS\n#define OWN stored_at(&words[number * WG + i % WG], first(lane[number + 9u]))\n"
    };
    (global) => {
        "typedef S* P;\n\
         __device__ __forceinline__ P stored_at(P p, S x) { *p = x; return p; }\n\
         // Invocations beyond the end share the words behind those of the last.\n\
         __device__ __forceinline__ u32 word_of(u32 at, u32 number) {\n    \
         return (at / WG * CHAINS + number) * WG + at % WG;\n}\n\
         #define WORDS , S* words\n\
         #define OWN stored_at(&words[word_of(min(i, sizes.elements), number)], first(lane[number + 9u]))\n"
    };
}

/// The type `S` of the chains in WGSL: a first value and a factor from a random word, and what is stored.
macro_rules! wgsl_type {
    (u32) => {
        "alias S = u32;\nfn start(word: u32) -> S { return word | 1u; }\nfn factor(word: u32) -> S { return word; }\n\
         fn stored(x: S) -> T { return x; }\n\n"
    };
    (Lane) => {
        "alias S = u32;\nfn start(word: u32) -> S { return word | 1u; }\n\
         fn factor(word: u32) -> S { return select(0u, 0xffffffffu, subgroupExclusiveAdd(1u) == 0u); }\n\
         fn stored(x: S) -> T { return x; }\n\n"
    };
    (i32) => {
        "alias S = i32;\nfn start(word: u32) -> S { return bitcast<i32>(word | 1u); }\n\
         fn factor(word: u32) -> S { return bitcast<i32>(word); }\n\
         fn stored(x: S) -> T { return bitcast<u32>(x); }\n\n"
    };
    (i16) => {
        "enable wgpu_int16;\nalias S = i16;\nfn start(word: u32) -> S { return i16(bitcast<i32>(word | 1u)); }\n\
         fn factor(word: u32) -> S { return i16(bitcast<i32>(word)); }\n\
         fn stored(x: S) -> T { return bitcast<u32>(i32(x)); }\n\n"
    };
    (u64) => {
        "alias S = u64;\nfn start(word: u32) -> S { return u64(word | 1u) * 0x9e3779b97f4a7c15lu; }\n\
         fn factor(word: u32) -> S { return u64(word); }\n\
         fn stored(x: S) -> T { return u32(x) ^ u32(x >> 32u); }\n\n"
    };
    (i64) => {
        "alias S = i64;\nfn start(word: u32) -> S { return i64(u64(word | 1u) * 0x9e3779b97f4a7c15lu); }\n\
         fn factor(word: u32) -> S { return i64(word); }\n\
         fn stored(x: S) -> T { return u32(u64(x)) ^ u32(u64(x) >> 32u); }\n\n"
    };
    (f16) => {
        "enable f16;\nalias S = f16;\n\
         fn start(word: u32) -> S { return f16(1.5 + f32(word & 0x1e0u) / 1024.0); }\n\
         fn factor(word: u32) -> S { return f16(select(-1.0, 1.0, (word & 1u) == 1u)); }\n\
         fn stored(x: S) -> T { return x; }\n\n"
    };
    (f32) => {
        "alias S = f32;\nfn start(word: u32) -> S { return bitcast<f32>(0x3fc00000u | (word & 0x3fe000u)); }\n\
         fn factor(word: u32) -> S { return select(-1.0, 1.0, (word & 1u) == 1u); }\n\
         fn stored(x: S) -> T { return x; }\n\n"
    };
    (f64) => {
        "alias S = f64;\nfn start(word: u32) -> S { return 1.5lf + f64(word & 0x7ffffu) / 1048576.0lf; }\n\
         fn factor(word: u32) -> S { return select(-1.0lf, 1.0lf, (word & 1u) == 1u); }\n\
         fn stored(x: S) -> T { return x; }\n\n"
    };
}

/// The same in CUDA C++, with the instructions that have no operator there.
macro_rules! cuda_type {
    (u32) => {
        "typedef u32 S;\n__device__ __forceinline__ S start(u32 word) { return word | 1u; }\n\
         __device__ __forceinline__ S factor(u32 word) { return word; }\n\
         __device__ __forceinline__ T stored(S x) { return x; }\n\n"
    };
    (Lane) => {
        "typedef u32 S;\n__device__ __forceinline__ S start(u32 word) { return word | 1u; }\n\
         __device__ __forceinline__ S factor(u32 word) { return (threadIdx.x & 31u) == 0u ? 0xffffffffu : 0u; }\n\
         __device__ __forceinline__ S sum_by_shuffles(S x) {\n    \
         for (u32 lane = 1u; lane < 32u; lane *= 2u) {\n        \
         x += __shfl_xor_sync(0xffffffffu, x, lane);\n    }\n    return x;\n}\n\n\
         __device__ __forceinline__ T stored(S x) { return x; }\n\n"
    };
    (i32) => {
        "typedef int S;\n__device__ __forceinline__ S start(u32 word) { return S(word | 1u); }\n\
         __device__ __forceinline__ S factor(u32 word) { return S(word); }\n\
         __device__ __forceinline__ T stored(S x) { return u32(x); }\n\n"
    };
    (i16) => {
        "typedef short S;\n__device__ __forceinline__ S start(u32 word) { return S(word | 1u); }\n\
         __device__ __forceinline__ S factor(u32 word) { return S(word); }\n\
         __device__ __forceinline__ T stored(S x) { return u32(int(x)); }\n\n"
    };
    (u64) => {
        "typedef unsigned long long S;\n\
         __device__ __forceinline__ S start(u32 word) { return S(word | 1u) * 0x9e3779b97f4a7c15ull; }\n\
         __device__ __forceinline__ S factor(u32 word) { return word; }\n\
         __device__ __forceinline__ T stored(S x) { return u32(x) ^ u32(x >> 32); }\n\n"
    };
    (i64) => {
        "typedef unsigned long long u64;\ntypedef long long S;\n\
         __device__ __forceinline__ S start(u32 word) { return S(u64(word | 1u) * 0x9e3779b97f4a7c15ull); }\n\
         __device__ __forceinline__ S factor(u32 word) { return word; }\n\
         __device__ __forceinline__ T stored(S x) { return u32(u64(x)) ^ u32(u64(x) >> 32); }\n\n"
    };
    (f16) => {
        "typedef f16 S;\n\
         __device__ __forceinline__ S of_bits(u32 bits) { S x; x.bits = (unsigned short)bits; return x; }\n\
         __device__ __forceinline__ S start(u32 word) { return of_bits(0x3e00u | (word & 0x1e0u)); }\n\
         __device__ __forceinline__ S factor(u32 word) { return of_bits((word & 1u) == 1u ? 0x3c00u : 0xbc00u); }\n\
         __device__ __forceinline__ T stored(S x) { return x; }\n\
         __device__ __forceinline__ S times(S a, S b) {\n    S x;\n    \
         asm(\"mul.rn.f16 %0, %1, %2;\" : \"=h\"(x.bits) : \"h\"(a.bits), \"h\"(b.bits));\n    return x;\n}\n\n"
    };
    (f32) => {
        "typedef float S;\n\
         __device__ __forceinline__ S start(u32 word) { return __uint_as_float(0x3fc00000u | (word & 0x3fe000u)); }\n\
         __device__ __forceinline__ S factor(u32 word) { return (word & 1u) == 1u ? 1.0f : -1.0f; }\n\
         __device__ __forceinline__ T stored(S x) { return x; }\n\
         #define APPROXIMATE(NAME, PTX) __device__ __forceinline__ S NAME(S a) { \\\n    \
         S x; asm(PTX \".approx.ftz.f32 %0, %1;\" : \"=f\"(x) : \"f\"(a)); return x; }\n\
         APPROXIMATE(reciprocal, \"rcp\")\nAPPROXIMATE(square_root, \"sqrt\")\nAPPROXIMATE(power_of_two, \"ex2\")\n\
         APPROXIMATE(inverse_root, \"rsqrt\")\nAPPROXIMATE(logarithm, \"lg2\")\n\
         __device__ __forceinline__ S quotient(S a, S b) {\n    S x;\n    \
         asm(\"div.approx.ftz.f32 %0, %1, %2;\" : \"=f\"(x) : \"f\"(a), \"f\"(b));\n    return x;\n}\n\n"
    };
    (f64) => {
        "typedef double S;\n\
         __device__ __forceinline__ S start(u32 word) { return 1.5 + double(word & 0x7ffffu) / 1048576.0; }\n\
         __device__ __forceinline__ S factor(u32 word) { return (word & 1u) == 1u ? 1.0 : -1.0; }\n\
         __device__ __forceinline__ T stored(S x) { return x; }\n\n"
    };
}
