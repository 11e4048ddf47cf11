// Eight independent chains of fused multiply-adds an invocation, 4 ROUNDS of them each; every lane of every chain is stored.
// Pattern: no memory; with T a vector there are 8 chains in each lane. The multiplier is ±1 and every value a multiple of 1/128,
// known only at run time: nothing can be folded, and no rounding occurs, so that the result is checked to the last bit.
// Work: 2 · 8 · 4 ROUNDS operations for each of n scalars.

alias T = vec4<f32>;

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    let at = i & 1023u;
    let m = select(T(-1.0), T(1.0), input[at + 16u] > T(0.0));
    var a = input[at]; var b = input[at + 1u]; var c = input[at + 2u]; var d = input[at + 3u];
    var e = input[at + 4u]; var f = input[at + 5u]; var g = input[at + 6u]; var h = input[at + 7u];
    let p = input[at + 8u]; let q = input[at + 9u]; let r = input[at + 10u]; let s = input[at + 11u];
    let u = input[at + 12u]; let v = input[at + 13u]; let w = input[at + 14u]; let x = input[at + 15u];
    for (var k = 0u; k < ROUNDS; k++) {
        a = fma(a, m, p); b = fma(b, m, q); c = fma(c, m, r); d = fma(d, m, s);
        e = fma(e, m, u); f = fma(f, m, v); g = fma(g, m, w); h = fma(h, m, x);
        a = fma(a, m, p); b = fma(b, m, q); c = fma(c, m, r); d = fma(d, m, s);
        e = fma(e, m, u); f = fma(f, m, v); g = fma(g, m, w); h = fma(h, m, x);
        a = fma(a, m, p); b = fma(b, m, q); c = fma(c, m, r); d = fma(d, m, s);
        e = fma(e, m, u); f = fma(f, m, v); g = fma(g, m, w); h = fma(h, m, x);
        a = fma(a, m, p); b = fma(b, m, q); c = fma(c, m, r); d = fma(d, m, s);
        e = fma(e, m, u); f = fma(f, m, v); g = fma(g, m, w); h = fma(h, m, x);
    }
    if (i < sizes.elements) {
        output[i] = ((a + b) + (c + d)) + ((e + f) + (g + h));
    }
}
