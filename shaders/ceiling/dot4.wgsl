// Eight independent chains of 32 · ROUNDS packed 8-bit dot products per invocation: x ← dot4(x, m) + p.
// Pattern: No memory accesses in the loop. A step is one instruction on hardware with dp4a, and about a dozen
// elsewhere.
// Work: 8 · 8 · 32 · ROUNDS operations for each of n scalars: four multiplications and four additions per step.
// Summary: eight independent chains of packed 8-bit dot products per invocation, 8 operations each
// Look for: Expect about four times the rate of `mad` if the hardware has packed dot products and the driver uses them.
// If the bytes are unpacked instead, the rate is a fraction of that of `mad`.
// Limits: The dot-product instruction. On hardware without it, the shifts and masks that unpack eight bytes.

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

/// A function of its own: naga declares temporaries for each product in Metal, twice the same for two products with m
/// (wgpu#9540).
fn step(x: u32, m: u32, p: u32) -> u32 {
    return dot4U8Packed(x, m) + p;
}

fn one(x: Chains, m: u32, p: u32) -> Chains {
    return Chains(
        step(x.a, m, p), step(x.b, m, p), step(x.c, m, p), step(x.d, m, p),
        step(x.e, m, p), step(x.f, m, p), step(x.g, m, p), step(x.h, m, p),
    );
}

fn four(x: Chains, m: u32, p: u32) -> Chains {
    return one(one(one(one(x, m, p), m, p), m, p), m, p);
}

fn sixteen(x: Chains, m: u32, p: u32) -> Chains {
    return four(four(four(four(x, m, p), m, p), m, p), m, p);
}
