// A kernel that does nothing but leave a sign that it ran: one invocation stores one word.
// Pattern: launched back to back, each launch waiting for the one before, as the dispatches of a benchmark do.
// Work: none.

struct Sizes { sign: u32 }

@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@group(0) @binding(1) var<uniform> sizes: Sizes;

@compute @workgroup_size(1)
fn main() {
    output[0] = sizes.sign;
}
