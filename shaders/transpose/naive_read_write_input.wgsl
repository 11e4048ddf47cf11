// The kernel of `naive_coalesced_write` with its input bound as read_write, so that the compiler cannot prove it
// read-only.
// Pattern: the same uncoalesced reads; the difference between the two kernels is that of the two paths through the
// caches.
// Work: 2n scalars moved.
// Summary: reads columns of an input that is bound as read_write, writes rows
// Look for: The ratio to naive_coalesced_write: below 1.00, the read-only path is faster; at 1.00, the device caches
// both kinds of load alike; above it, as at 1000x3001 through some Vulkan drivers, the read-only path is slower.
// Limits: The limit of naive_coalesced_write; where loads that may alias a store bypass L1, L2 bandwidth.

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
