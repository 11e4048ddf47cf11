// Reads an element, applies FMAS dependent fused multiply-adds to it, and writes it.
// Pattern: one 16-byte load and one 16-byte store per invocation. Four independent chains and many invocations hide
// latency. The multiplier (±1) and the random addend are known only at run time, so the compiler cannot shorten the
// chains. Each addition rounds, so no formula gives the exact result.
// Work: 2n scalars moved, 2 · FMAS · n operations.
// Summary: a vec4 copy with FMAS fused multiply-adds per element
// Look for: The ridge: the value of FMAS at which time begins to rise. Below it, GB/s is flat at the copy rate. Above
// it, GFLOP/s is flat at the FMA rate. A rounded corner means that latency is not fully hidden.
// Limits: Memory if FMAS is small, the FMA units if it is large. Near the ridge, neither reaches its peak.

alias T = vec4<f32>;

struct Sizes { elements: u32, addend: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override FMAS: u32 = 16u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.elements) {
        var x = input[i];
        let m = select(T(-1.0), T(1.0), x > T(0.0));
        let p = T(bitcast<f32>(sizes.addend));
        for (var k = 0u; k < FMAS / 16u; k++) {
            x = four(four(four(four(x, m, p), m, p), m, p), m, p);
        }
        for (var k = 0u; k < FMAS % 16u; k++) {
            x = fma(x, m, p);
        }
        output[i] = x;
    }
}

fn four(x: T, m: T, p: T) -> T {
    return fma(fma(fma(fma(x, m, p), m, p), m, p), m, p);
}
