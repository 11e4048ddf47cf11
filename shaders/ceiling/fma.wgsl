// Eight independent chains of fused multiply-adds an invocation, 16 ROUNDS of them each; every lane of every chain is stored.
// Pattern: no memory; with T a vector there are 8 chains in each lane. The chains share multiplier and addend, which leaves one new
// register to read for each FMA. The multiplier is ±1 and every value a multiple of 1/128, known only at run time: nothing can be
// folded, and no rounding occurs, so that the result is checked to the last bit.
// Work: 2 · 8 · 16 ROUNDS operations for each of n scalars.

alias T = vec4<f32>;

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 128u;
override ROUNDS: u32 = 128u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    let at = i & 1023u;
    let m = select(T(-1.0), T(1.0), input[at + 8u] > T(0.0));
    let p = input[at + 9u];
    var a = input[at]; var b = input[at + 1u]; var c = input[at + 2u]; var d = input[at + 3u];
    var e = input[at + 4u]; var f = input[at + 5u]; var g = input[at + 6u]; var h = input[at + 7u];
    for (var k = 0u; k < ROUNDS; k++) {
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
        a = fma(a, m, p); b = fma(b, m, p); c = fma(c, m, p); d = fma(d, m, p);
        e = fma(e, m, p); f = fma(f, m, p); g = fma(g, m, p); h = fma(h, m, p);
    }
    if (i < sizes.elements) {
        output[i] = ((a + b) + (c + d)) + ((e + f) + (g + h));
    }
}
