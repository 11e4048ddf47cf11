// Counts the large elements; the device then starts as many workgroups as they need.

@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> groups: array<u32, 3>;
@group(0) @binding(3) var<storage, read_write> output: array<u32>;

const WG = 64u;

@compute @workgroup_size(WG)
fn count_large(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&input) && input[id.x] > 0.5) {
        atomicAdd(&count, 1u);
    }
}

@compute @workgroup_size(1)
fn plan() {
    groups = array(max(1u, (atomicLoad(&count) + WG - 1u) / WG), 1u, 1u);
}

@compute @workgroup_size(WG)
fn mark(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < atomicLoad(&count)) {
        output[id.x] = 1u;
    }
}
