// The kernel `naive_coalesced_write` with its input bound as read_write, so the compiler cannot prove that it is
// read-only.
// Pattern: the same uncoalesced reads. Only their path through the caches differs.
// Work: 2n scalars moved.
// Summary: naive_coalesced_write with its input bound as read_write
// Look for: The speed relative to naive_coalesced_write. Below 1.00, the read-only path is faster. At 1.00, the device
// caches both kinds of loads alike. Above 1.00, the read-only path is slower.
// Limits: The same as for naive_coalesced_write, or L2 bandwidth, if L1 is bypassed by loads that may alias a store.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read_write> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override HEIGHT: u32 = 8u;

@compute @workgroup_size(32, HEIGHT)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < sizes.rows && id.y < sizes.columns) {
        output[id.y * sizes.rows + id.x] = input[id.x * sizes.columns + id.y];
    }
}
