// THREADS invocations each follow a chain of 128-byte lines. A line holds the index of the next line, so every load
// waits for the previous one.
// Pattern: Dependent loads in random order, one per invocation at a time. No line is loaded twice in a launch.
// Work: `steps` dependent loads by each of THREADS invocations.
// Summary: THREADS invocations each follow a chain of dependent loads; together they load every line once
// Look for: Loads per second (GB/s divided by 4) grow with THREADS while latency is the only limit. If the time per
// step grows instead, the memory system is saturated.
// Limits: With few THREADS, DRAM latency. With many, DRAM bandwidth, since each 4-byte load fetches at least a whole
// sector.

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
