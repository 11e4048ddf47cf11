// A tiny kernel with a number in it, so that each new number makes a new kernel that no driver cache holds.
// Pattern: one workgroup; compiled anew before each launch.
// Work: none that counts; compiling takes longer.
// Summary: compiling a tiny kernel that no cache holds, from WGSL or CUDA C++ to a pipeline
// Look for: The wait before a kernel's first run, and its ratio to pipeline_again.
// Limits: The compilers: naga and the driver's, or NVRTC.

override NONCE: u32 = 0u;

struct Sizes { is_asked: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const WG = 64u;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32) {
    // Nothing asks for the number, but the compiler cannot know this.
    output[t] = select(input[t] * 5u + 1u, NONCE, sizes.is_asked == 1u);
}
