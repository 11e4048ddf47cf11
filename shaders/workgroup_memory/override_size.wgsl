// Rotates blocks of LENGTH words by 37 positions ROUNDS times, each time through a workgroup array whose length the
// host sets.
// Pattern: neighbouring invocations access neighbouring words (no bank conflicts), with two barriers per round.
// `fixed_size` is the same code with a literal length.
// Work: 2 · ROUNDS · n words moved through workgroup memory.
// Summary: fixed_size with a length that the host sets when it creates the pipeline
// Look for: A ratio of 1.00 to fixed_size: a length known at pipeline creation is as good as a literal. A lower speed
// would mean that the API compiles before it knows the length.
// Limits: The two barriers in each round, as in fixed_size.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override LENGTH: u32 = 256u;
override ROUNDS: u32 = 16u;

var<workgroup> tile: array<T, LENGTH>;

@compute @workgroup_size(LENGTH)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * LENGTH + t;
    var own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    for (var k = 0u; k < ROUNDS; k++) {
        tile[t] = own;
        workgroupBarrier();
        own = tile[(t + 37u) % LENGTH];
        workgroupBarrier();
    }
    if (i < sizes.n) {
        output[i] = own;
    }
}
