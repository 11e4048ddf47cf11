// Eight independent chains of 32 · ROUNDS f16 fused multiply-adds per invocation. The sum of the chains is stored.
// Pattern: No memory accesses in the loop, as in `fma`, with an f16 type for T (the alias below is a placeholder). All
// inputs are ±1, known only at run time. f16 is exact for integers up to 2048, and no sum exceeds 2048 if ROUNDS is at
// most 31. The result is therefore verified bit for bit.
// Work: 2 · 8 · 32 · ROUNDS operations for each of n scalars.
// Summary: the same chains as in fma, but in f16, as scalars or vec2
// Look for: The speed of vec2 relative to scalars. Packed f16 hardware computes both components in one instruction,
// which doubles the rate. On other hardware, or if the driver widens f16 to f32, the rate is no higher than that of
// `fma`.
// Limits: The packed f16 units. For scalars, also the conversions between 16 and 32 bits that compilers insert.

alias T = vec2<f32>;

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
    let m = input[at + 8u];
    let p = input[at + 9u];
    var x = Chains(
        input[at], input[at + 1u], input[at + 2u], input[at + 3u],
        input[at + 4u], input[at + 5u], input[at + 6u], input[at + 7u],
    );
    for (var k = 0u; k < ROUNDS; k++) {
        x = sixteen(sixteen(x, m, p), m, p);
    }
    if (i < sizes.elements) {
        output[i] = ((x.a - x.b) + (x.c - x.d)) + ((x.e - x.f) + (x.g + x.h));
    }
}

/// Independent chains.
struct Chains { a: T, b: T, c: T, d: T, e: T, f: T, g: T, h: T }

fn one(x: Chains, m: T, p: T) -> Chains {
    return Chains(
        fma(x.a, m, p), fma(x.b, m, p), fma(x.c, m, p), fma(x.d, m, p),
        fma(x.e, m, p), fma(x.f, m, p), fma(x.g, m, p), fma(x.h, m, p),
    );
}

fn four(x: Chains, m: T, p: T) -> Chains {
    return one(one(one(one(x, m, p), m, p), m, p), m, p);
}

fn sixteen(x: Chains, m: T, p: T) -> Chains {
    return four(four(four(four(x, m, p), m, p), m, p), m, p);
}
