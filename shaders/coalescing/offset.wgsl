// Adds two arrays, with every access at an offset of k = OFFSET elements: z[i + k] = x[i + k] + y[i + k].
// Pattern: Accesses are contiguous, but if the offset is not a multiple of a 32-byte sector, a subgroup's 128 bytes
// span five sectors instead of four. The first k invocations also add the first k elements.
// Work: 3n scalars moved.
// Summary: z[i+k] = x[i+k] + y[i+k], k = OFFSET
// Look for: Compare the speed at OFFSET=1 with that at OFFSET=8, a whole sector. The ratio is below 1.0, but above the
// model's 0.8 if a cache serves the fifth sector, which the next subgroup shares. Do not compare with OFFSET=0, which
// compiles to less code.
// Limits: DRAM, if caches keep the shared sectors. Otherwise, the number of sectors moved.

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
    if (at < sizes.n) {
        z[at] = x[at] + y[at + LEAD];
    }
    if (i < min(OFFSET, sizes.n)) {
        z[i] = x[i] + y[i + LEAD];
    }
}
