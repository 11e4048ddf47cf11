// One step of the heat equation in a volume (7-point stencil), one invocation per cell. Surface cells are copied.
// Pattern: seven scalar loads per cell. L2 serves the slices before and after if slices are small enough.
// Work: n scalars read and n written, 8 operations per cell.
// Summary: 7 points, one invocation per cell, neighbours from the caches
// Look for: The gap to `naive_2d`, which is the cost of two more neighbours, each one slice away. At 512x512x512, L2
// must hold three slices of 1 MiB for each slice in progress.
// Limits: Load instructions, seven per cell, and L2 bandwidth for neighbours that L1 no longer holds.

alias T = f32;

struct Sizes { depth: u32, height: u32, width: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = vec3<u32>(sizes.width, sizes.height, sizes.depth);
    if (any(id >= size)) {
        return;
    }
    let slice = size.x * size.y;
    let i = id.z * slice + id.y * size.x + id.x;
    let own = input[i];
    var next = own;
    if (all(id > vec3<u32>()) && all(id + 1u < size)) {
        let around = (input[i - 1u] + input[i + 1u]) + (input[i - size.x] + input[i + size.x])
            + (input[i - slice] + input[i + slice]);
        next = T(0.25) * own + T(0.125) * around;
    }
    output[i] = next;
}
