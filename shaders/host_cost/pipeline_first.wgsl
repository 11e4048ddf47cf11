// A tiny kernel with a number compiled in. Each new number makes a new kernel, which is in no driver cache.
// Pattern: one workgroup; the kernel is compiled again before each launch.
// Work: negligible; compiling takes longer.
// Summary: compiling a tiny new kernel, from WGSL or CUDA C++ to a pipeline
// Look for: The delay before a kernel's first run, and its ratio to that of `pipeline_again`.
// Limits: Compilation by naga and the driver, or by NVRTC.

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
