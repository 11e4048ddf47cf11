// Each of 1,024 workgroups reads 512 KiB, in passes over slices of the working set: the same slice in every pass, or
// with ROTATE=1 a different one in each pass. No two workgroups read the same slice in the same pass.
// Pattern: Coalesced 16-byte loads, four independent loads at a time. The distance to the next slice comes from a
// uniform buffer, so the compiler cannot see that a workgroup rereads its slice.
// Work: Each invocation reads 128 elements.
// Summary: 1,024 workgroups reread their own slice, or with ROTATE=1 read another workgroup's slice in each pass
// Look for: The speed of ROTATE=0 relative to ROTATE=1 at the same size. If ROTATE=0 is faster, each SM or compute unit
// has a private cache: with ROTATE=1, no slice is reread.
// Limits: With ROTATE=0 and small slices, the load unit of each SM is the limit. Otherwise, the path to the shared
// cache, or DRAM.

alias T = vec4<f32>;

struct Sizes { shift: u32, slices: u32, still: u32, sums: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override ROTATE: u32 = 0u;

const WG = 256u;
const ROUNDS = 128u;
// Odd and far, so that the workgroups of one SM find no slice that another one of them has read.
const FAR = 389u;

fn at(block: u32, k: u32, step: u32) -> u32 {
    let slice = (block + (k >> sizes.shift) * step) & (sizes.slices - 1u);
    return (slice << sizes.shift) + (k & ((1u << sizes.shift) - 1u));
}

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let step = ROTATE * FAR + sizes.still;
    var a = T(); var b = T(); var c = T(); var d = T();
    for (var k = t; k < ROUNDS * WG; k += 4u * WG) {
        a += input[at(block, k, step)];
        b += input[at(block, k + WG, step)];
        c += input[at(block, k + 2u * WG, step)];
        d += input[at(block, k + 3u * WG, step)];
    }
    let i = block * WG + t;
    if (i < sizes.sums) {
        let sum = (a + b) + (c + d);
        output[i] = (sum.x + sum.y) + (sum.z + sum.w);
    }
}
