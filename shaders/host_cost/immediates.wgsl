// The chain of dispatch.wgsl where each dispatch adds its own number, which the command buffer holds.
// Pattern: one workgroup; dispatches alternate between two buffers, with a barrier before each.
// Work: none that counts; the host's calls take longer.
// Summary: encode, submit and wait for dispatches that each get a number as an immediate; CUDA: as an argument
// Look for: The ratio to uniform_write, which passes the same number.
// Limits: As in dispatch: the API's work for each dispatch, or the device's time between two.

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

struct Own { number: u32 }

var<immediate> own: Own;

const WG = 64u;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32) {
    output[t] = input[t] * 5u + own.number;
}
