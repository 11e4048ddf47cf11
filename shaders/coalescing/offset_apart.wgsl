// Computes the same sums as `offset`, but accesses neighbouring pieces of 128 bytes far apart in time.
// Pattern: Subgroups first process every second piece of 32 elements, then the pieces in between. The fifth sector of a
// piece, which the next piece shares, must therefore be moved again.
// Work: 3n scalars moved.
// Summary: offset with neighbouring 128-byte pieces far apart in time, so that no cache serves the fifth sector
// Look for: The ratio of the speeds at OFFSET=1 and OFFSET=8. It should be closer to the model's 0.8 than in `offset`.
// If DRAM transfers are 64 bytes, the speed relative to OFFSET=16 is below 0.8, since a piece takes three transfers
// instead of two.
// Limits: Sectors moved between L2 and the SMs, or from DRAM at sizes larger than L2.

alias T = f32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> x: array<T>;
@group(0) @binding(1) var<storage, read> y: array<T>;
@group(0) @binding(2) var<storage, read_write> z: array<T>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override OFFSET: u32 = 0u;

// As in `offset`.
const LEAD = 64u;
const PIECE = 32u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    let pieces = (sizes.n + PIECE - 1u) / PIECE;
    let even = (pieces + 1u) / 2u;
    let number = i / PIECE;
    let piece = select(2u * (number - even) + 1u, 2u * number, number < even);
    let at = piece * PIECE + i % PIECE + OFFSET;
    if (number < pieces && at < sizes.n) {
        z[at] = x[at] + y[at + LEAD];
    }
    if (i < min(OFFSET, sizes.n)) {
        z[i] = x[i] + y[i + LEAD];
    }
}
