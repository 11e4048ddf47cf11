// A tiny kernel in a chain: each dispatch computes 5 · x + 1 from the x that the previous dispatch stored, so a missing
// dispatch changes the result.
// Pattern: one workgroup; dispatches alternate between two buffers, with a barrier before each.
// Work: negligible; the host's calls take longer.
// Summary: encode, submit and wait for n dispatches
// Look for: The time at size 1 (the cost if a program waits for each dispatch) and the time per dispatch at size 1000
// (the cost if it submits many at once).
// Limits: At size 1, driver calls and waking up the host. At size 1000, the API's work per dispatch or the device's
// time between two dispatches, whichever is longer.

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

const WG = 64u;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32) {
    output[t] = input[t] * 5u + 1u;
}
