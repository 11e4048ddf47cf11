// The same chain as in `dispatch`, but each dispatch adds its own number, which the host writes to a uniform buffer.
// Pattern: as in `dispatch`.
// Work: negligible; the host's calls take longer.
// Summary: encode, submit and wait for n dispatches, each with a write to a uniform buffer
// Look for: The ratios to `immediates` and to `dispatch`, which passes no number. Each write is a separate call
// (write_buffer), as in real programs.
// Limits: One core of the host: each write allocates staging memory and adds a copy.

struct Own { number: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> own: Own;

const WG = 64u;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32) {
    output[t] = input[t] * 5u + own.number;
}
