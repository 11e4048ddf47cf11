//! The macro that makes a benchmark of an instruction.

/// A file of `shaders/rates`. `type`: the type `S` of the chains, with its first value, its factor and the stored form.
/// `memory`: what a chain owns, `P`, a value or its word in memory. It follows the overrides: naga 30 panics if an
/// array's length comes before the overrides that it names.
macro_rules! text {
    ($kind:literal, $name:ident, $end:literal) => {
        include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/rates/", $kind, stringify!($name), $end))
    };
}

/// A benchmark: its name, the element types in memory and of the chains, the operations of a step, and the step in
/// WGSL, in CUDA C++ and on the host, from the chain's value `x`, the previous one `y`, a factor `m` (±1 for floats)
/// and `p`. With a tolerance if results are not exact.
macro_rules! rate {
    ($name:ident, $dtype:ident $scalar:ident, $operations:literal $first:ident, $wgsl:literal, $cuda:literal, $step:expr) => {
        Benchmark {
            name: stringify!($name),
            summary: concat!("chains of x = ", $wgsl),
            look_for: concat!("The rate of ", stringify!($name), " with CHAINS=8 as a fraction of that of f32_fma, and \
                the time of one step with CHAINS=1."),
            limited_by: concat!("With CHAINS=8, the unit for ", stringify!($name), " or for the instructions that \
                replace it; with CHAINS=1, the latency."),
            wgsl: concat!(
                "// Chains of x = ", $wgsl, " in each invocation, each of 32 · ROUNDS + 1 steps.\n",
                "// Pattern: the chains access no memory. CHAINS=8 stores the sum of eight chains; CHAINS=1 has one \
                chain.\n",
                "// Work: ", stringify!($operations), " · CHAINS · (32 · ROUNDS + 1) operations for each of n \
                    values; an FMA counts as two.\n\n",
                text!("type_", $scalar, ".wgsl.in"),
                include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/rates/chains.wgsl.in")),
                text!("memory_", none, ".wgsl.in"),
                "/// The first value of a chain.\nfn first(word: u32) -> S {\n    return ", stringify!($first), "(word);\n}\n\n",
                "fn step(x: S, y: S, m: S, p: P) -> S {\n    return ", $wgsl, ";\n}\n"
            ),
            cuda: concat!(
                "// Twin of ", stringify!($name), ".wgsl: the same steps.\n\n",
                text!("type_", $scalar, ".cu.in"),
                text!("memory_", none, ".cu.in"),
                "__device__ __forceinline__ S first(u32 word) { return ", stringify!($first), "(word); }\nstruct Sizes;\n__device__ __forceinline__ S step(S x, S y, S m, P p, const Sizes& sizes);\n\n",
                include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/rates/chains.cu.in")),
                "\n__device__ __forceinline__ S step(S x, S y, S m, P p, const Sizes& sizes) {\n    return ", $cuda, ";\n}\n"
            ),
            cases: &[
                Cases::standard(&[Dtype::$dtype], MANY, RATE),
                Cases::standard(&[Dtype::$dtype], FEW, LATENCY),
            ],
            unsupported: |shape| (shape.dtype != Dtype::$dtype).then_some("the kernel's name fixes its element type"),
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

/// A benchmark of an atomic operation: its name, the element types in memory and of the chains, the words' memory, the
/// first value, the operation on the chain's word `p` in WGSL and in CUDA C++, and on the host the new word from the
/// operand `x` (the word as the previous operation found it, for which each operation waits), the old word and `m`.
macro_rules! atomic {
    ($name:ident, $dtype:ident $scalar:ident $memory:ident, $first:ident, $wgsl:literal, $cuda:literal, $new:expr) => {
        Benchmark {
            limited_by: concat!("With CHAINS=8, the unit for ", stringify!($name), ", near workgroup memory or in L2; \
                with CHAINS=1, the round trip to it."),
            wgsl: concat!(
                "// Chains of x = ", $wgsl, " in each invocation, each of 32 · ROUNDS + 1 steps.\n",
                "// Pattern: each chain has its own word; neighbouring invocations use neighbouring words. CHAINS=8 \
                has eight chains.\n",
                "// Work: CHAINS · (32 · ROUNDS + 1) atomic operations for each of n values.\n\n",
                text!("type_", $scalar, ".wgsl.in"),
                include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/rates/chains.wgsl.in")),
                text!("memory_", $memory, ".wgsl.in"),
                "/// The first value of a chain.\nfn first(word: u32) -> S {\n    return ", stringify!($first), "(word >> 2u);\n}\n\n",
                "fn step(x: S, y: S, m: S, p: P) -> S {\n    return ", $wgsl, ";\n}\n"
            ),
            cuda: concat!(
                "// Twin of ", stringify!($name), ".wgsl: the same steps.\n\n",
                text!("type_", $scalar, ".cu.in"),
                "__device__ __forceinline__ S first(u32 word) { return ", stringify!($first), "(word >> 2u); }\n",
                text!("memory_", $memory, ".cu.in"),
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

macro_rules! with_words {
    (workgroup $scalar:ident, $buffers:expr, $shape:ident, $interface:ident) => {{
        let _ = $interface;
        $buffers
    }};
    (global $scalar:ident, $buffers:expr, $shape:ident, $interface:ident) => {
        $buffers.into_iter().chain([global_words($shape, $interface, size_of::<$scalar>())]).collect()
    };
}
