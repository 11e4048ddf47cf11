// A tiny kernel in a chain: each dispatch computes 5 · x + 1 of the value that the previous dispatch stored, so that a
// missing dispatch changes the result.
// Pattern: one workgroup; dispatches alternate between two buffers, with a barrier before each.
// Work: none that counts; the host's calls take longer.
// Summary: encode, submit and wait for as many dispatches as the size
// Look for: The time at size 1 (the cost if a program waits for each dispatch) and the time per dispatch at size 1000
// (the cost if a program submits many).
// Limits: Wake-up of the host and the driver's calls at size 1; at size 1000 the API's own work for each dispatch, or
// the device's time between two of them.

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

const WG = 64u;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32) {
    output[t] = input[t] * 5u + 1u;
}
