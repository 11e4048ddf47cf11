// Eight independent chains of 32 · ROUNDS multiply-adds of 32-bit integers per invocation.
// Pattern: No memory accesses in the loop, as in `fma`. Unlike there, the multiplier need not be ±1, since integer
// arithmetic does not round.
// Work: 2 · 8 · 32 · ROUNDS operations for each of n scalars.
// Summary: eight independent chains of 32-bit integer multiply-adds per invocation
// Look for: The rate relative to f32 `fma`. One half means that there are half as many integer multipliers as FMA
// units. One quarter or less means that a multiplication takes several instructions.
// Limits: The integer multipliers. All operands are in registers.

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
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
        output[i] = ((x.a + x.b) + (x.c + x.d)) + ((x.e + x.f) + (x.g + x.h));
    }
}

/// Independent chains.
struct Chains { a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32, h: u32 }

fn one(x: Chains, m: u32, p: u32) -> Chains {
    return Chains(
        x.a * m + p, x.b * m + p, x.c * m + p, x.d * m + p,
        x.e * m + p, x.f * m + p, x.g * m + p, x.h * m + p,
    );
}

fn four(x: Chains, m: u32, p: u32) -> Chains {
    return one(one(one(one(x, m, p), m, p), m, p), m, p);
}

fn sixteen(x: Chains, m: u32, p: u32) -> Chains {
    return four(four(four(four(x, m, p), m, p), m, p), m, p);
}
