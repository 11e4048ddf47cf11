// The same chain as in `dispatch`, but each dispatch adds its own number, which is stored in the command buffer.
// Pattern: as in `dispatch`.
// Work: negligible; the host's calls take longer.
// Summary: encode, submit and wait for n dispatches, each with an immediate (CUDA: an argument)
// Look for: The ratio to `uniform_write`, which passes the same number in a uniform buffer.
// Limits: The API's work per dispatch, or the device's time between two dispatches.

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

struct Own { number: u32 }

var<immediate> own: Own;

const WG = 64u;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32) {
    output[t] = input[t] * 5u + own.number;
}
