// An almost empty kernel: one invocation stores one word, to prove that the kernel ran.
// Pattern: launched back to back, each launch after the end of the one before, like the dispatches of a benchmark.
// Work: none.
// Summary: launches a kernel that stores one word: device time back to back, and time from submission to completion
// Look for: The device time of an empty launch, and how much longer submission to completion takes. The host pays this
// difference once for many launches.
// Limits: The device's front end, which drains one launch and its caches before the next may start; end to end, system
// calls and the driver's wake-up.

struct Sizes { sign: u32 }

@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@group(0) @binding(1) var<uniform> sizes: Sizes;

@compute @workgroup_size(1)
fn main() {
    output[0] = sizes.sign;
}
