// One step of the heat equation on a plane (5-point stencil), one invocation per cell. Edge cells are copied.
// Pattern: five scalar loads per cell. Each cell is loaded by five invocations, mostly from L1 or L2.
// Work: n scalars read and n written, 6 operations per cell.
// Summary: 5 points, one invocation per cell, neighbours from the caches
// Look for: The percentage of the copy rate reached with caches alone: above 90 %, workgroup memory can gain little. A
// lower percentage at 8192x8192 than at 4096x4096 suggests that rows leave L2 too early.
// Limits: Load instructions: L1 serves five 4-byte loads per cell and saturates before DRAM does.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= sizes.columns || id.y >= sizes.rows) {
        return;
    }
    let i = id.y * sizes.columns + id.x;
    let own = input[i];
    var next = own;
    if (id.x > 0u && id.x + 1u < sizes.columns && id.y > 0u && id.y + 1u < sizes.rows) {
        let around = (input[i - 1u] + input[i + 1u]) + (input[i - sizes.columns] + input[i + sizes.columns]);
        next = T(0.5) * own + T(0.125) * around;
    }
    output[i] = next;
}
