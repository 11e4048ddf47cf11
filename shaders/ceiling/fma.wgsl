// Eight independent chains of 32 · ROUNDS fused multiply-adds per invocation. The sum of the chains is stored.
// Pattern: No memory accesses in the loop. If T is a vector, each component has 8 chains. One register is both
// multiplier and addend: with a separate addend, an H200's f64 units reach only 92 % of their rate. The register is ±1
// and known only at run time, so the compiler folds nothing. No operation rounds, so the result is verified bit for
// bit.
// Work: 2 · 8 · 32 · ROUNDS operations for each of n scalars.
// Summary: eight independent chains of fused multiply-adds per invocation, as scalars, vec2 or vec4
// Look for: The ratio of the f32 rate to the f64 rate: 2 on data-centre GPUs, 16 to 64 on others. If vec2 or vec4 is
// faster than scalars, eight chains do not fill the pipelines, or the hardware has vector units.
// Limits: Instruction issue, since a scheduler starts one instruction per cycle. On large GPUs, heat and power lower
// the clock.

alias T = vec4<f32>;

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 128u;
override ROUNDS: u32 = 16u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    let at = i & 1023u;
    let m = select(T(-1.0), T(1.0), input[at + 8u] > T(0.0));
    var x = Chains(
        input[at], input[at + 1u], input[at + 2u], input[at + 3u],
        input[at + 4u], input[at + 5u], input[at + 6u], input[at + 7u],
    );
    for (var k = 0u; k < ROUNDS; k++) {
        x = sixteen(sixteen(x, m), m);
    }
    if (i < sizes.elements) {
        output[i] = ((x.a + x.b) + (x.c + x.d)) + ((x.e + x.f) + (x.g + x.h));
    }
}

/// Independent chains.
struct Chains { a: T, b: T, c: T, d: T, e: T, f: T, g: T, h: T }

fn one(x: Chains, m: T) -> Chains {
    return Chains(
        fma(x.a, m, m), fma(x.b, m, m), fma(x.c, m, m), fma(x.d, m, m),
        fma(x.e, m, m), fma(x.f, m, m), fma(x.g, m, m), fma(x.h, m, m),
    );
}

fn four(x: Chains, m: T) -> Chains {
    return one(one(one(one(x, m), m), m), m);
}

fn sixteen(x: Chains, m: T) -> Chains {
    return four(four(four(four(x, m), m), m), m);
}
