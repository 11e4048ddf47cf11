// GEMM, C = A · B with A m×k and B k×n: one invocation per element of C.
// Pattern: neighbouring invocations read neighbouring elements of B and the same element of A. Each element of A is
// read n times and each of B m times, at best from a cache.
// Work: 2mnk operations.
// Summary: one invocation per element, all operands from global memory
// Look for: The percentage of the FMA peak that caches alone allow. The gap to `tiled` is the gain from explicit reuse.
// A gap between APIs can come from address arithmetic in the inner loop.
// Limits: Load instructions: two loads, served by L1, for each multiply-add.

alias T = f32;

struct Sizes { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> a: array<T>;
@group(0) @binding(1) var<storage, read> b: array<T>;
@group(0) @binding(2) var<storage, read_write> c: array<T>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < sizes.n && id.y < sizes.m) {
        var sum = T();
        for (var p = 0u; p < sizes.k; p++) {
            sum += a[id.y * sizes.k + p] * b[p * sizes.n + id.x];
        }
        c[id.y * sizes.n + id.x] = sum;
    }
}
