// An almost empty kernel: one invocation stores one word, to prove that the kernel ran.
// Pattern: The launches run back to back. Each starts after the previous one ends, as in a benchmark.
// Work: None.
// Summary: stores one word: device time of back-to-back launches, and time from submission to completion
// Look for: The device time of an empty launch, and how much longer submission to completion takes. If many launches
// are submitted together, the host pays this difference only once.
// Limits: The device's front end, which finishes one launch and flushes caches before the next may start. The time from
// submission to completion also includes system calls and waking the host thread.

struct Sizes { sign: u32 }

@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@group(0) @binding(1) var<uniform> sizes: Sizes;

@compute @workgroup_size(1)
fn main() {
    output[0] = sizes.sign;
}
