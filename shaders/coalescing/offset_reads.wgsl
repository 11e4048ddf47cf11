// Adds two arrays that are read at an offset of k = OFFSET elements: z[i] = x[i + k] + y[i + k].
// Pattern: As in `offset`, the 128 bytes that a subgroup reads span five sectors if the offset is not a multiple of a
// sector. Stores are aligned and fill four whole sectors.
// Work: 3n scalars moved.
// Summary: z[i] = x[i+k] + y[i+k], k = OFFSET, with aligned stores
// Look for: The slowdown at OFFSET=1, compared with that of `offset`. Any extra slowdown in `offset` comes from
// partial-sector stores.
// Limits: The number of sectors read; DRAM bandwidth if a cache keeps the fifth sector for the next subgroup.

alias T = f32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> x: array<T>;
@group(0) @binding(1) var<storage, read> y: array<T>;
@group(0) @binding(2) var<storage, read_write> z: array<T>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override OFFSET: u32 = 0u;

// Both inputs are the same random stream: y starts this many elements (whole sectors) later in it, so that x and y
// differ.
const LEAD = 64u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    let at = i + OFFSET;
    if (i < sizes.n) {
        z[i] = x[at] + y[at + LEAD];
    }
}
