// An almost empty kernel: one invocation stores one word, to prove that the kernel ran.
// Pattern: launched back to back, each launch after the end of the one before, as dispatches of a benchmark.
// Work: none.

struct Sizes { sign: u32 }

@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@group(0) @binding(1) var<uniform> sizes: Sizes;

@compute @workgroup_size(1)
fn main() {
    output[0] = sizes.sign;
}
