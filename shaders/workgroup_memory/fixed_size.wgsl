// Rotates blocks of 256 words by 37 positions, ROUNDS times, through a workgroup array whose length is a literal.
// Pattern: neighbouring invocations access neighbouring words (no bank conflicts), with two barriers per round.
// `override_size` is the same code with a length set by the host.
// Work: 2 · ROUNDS · n words moved through workgroup memory.
// Summary: rotates blocks through an array whose length is a literal in the kernel
// Look for: The baseline for override_size and dynamic_size, since the compiler knows the array's length here.
// Limits: Barriers: with two per store and load, the kernel reaches about half of the workgroup-memory rate.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const LENGTH = 256u;
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
