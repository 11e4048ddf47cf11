// THREADS invocations follow one chain each: a line of 128 bytes holds the index of the next, so that every load waits
// for the one before. Together they load every line of the set once.
// Pattern: dependent loads in random order, one per invocation at a time. The chains are equal parts of one cycle, so
// that no line is loaded twice in a launch.
// Work: one dependent load per step, `steps` of them by each of THREADS invocations.
// Summary: THREADS invocations follow one chain of dependent loads each, and together load every line of the set once
// Look for: Loads per second (GB/s over 4) grow with THREADS while latency is the only limit. If the time per step
// grows instead, the memory system is saturated.
// Limits: Few THREADS: the latency of DRAM. Many: the sectors that DRAM delivers in random order, a whole one or more
// for each word.

struct Line { next: u32, rest: array<u32, 31> }

struct Sizes { steps: u32 }

@group(0) @binding(0) var<storage, read> cycle: array<Line>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override THREADS: u32 = 1024u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < THREADS) {
        var at = starts[i];
        for (var k = 0u; k < sizes.steps; k++) {
            at = cycle[at].next;
        }
        output[i] = at;
    }
}
