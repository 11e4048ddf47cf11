// A prefix sum in three kernels: each workgroup scans its block, one scans the sums of the blocks, and each adds the sum
// before its block.

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

override WG: u32 = 256u;

var<workgroup> tile: array<u32, WG>;

/// The sum of the values of invocations 0 to `t`.
fn scanned(t: u32, value: u32) -> u32 {
    tile[t] = value;
    workgroupBarrier();
    for (var apart = 1u; apart < WG; apart *= 2u) {
        var before = 0u;
        if (t >= apart) {
            before = tile[t - apart];
        }
        workgroupBarrier();
        tile[t] += before;
        workgroupBarrier();
    }
    return tile[t];
}

@compute @workgroup_size(WG)
fn scan_blocks(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    var value = 0u;
    if (id.x < arrayLength(&input)) {
        value = input[id.x];
    }
    let sum = scanned(t, value);
    if (id.x < arrayLength(&output)) {
        output[id.x] = sum;
    }
    if (t == WG - 1u) {
        sums[group.x] = sum;
    }
}

@compute @workgroup_size(WG)
fn scan_sums(@builtin(local_invocation_index) t: u32) {
    let count = arrayLength(&sums);
    var before = 0u;
    for (var first = 0u; first < count; first += WG) {
        var value = 0u;
        if (first + t < count) {
            value = sums[first + t];
        }
        let sum = scanned(t, value) + before;
        if (first + t < count) {
            sums[first + t] = sum;
        }
        before += tile[WG - 1u];
        workgroupBarrier();
    }
}

@compute @workgroup_size(WG)
fn add_sums(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if (group.x > 0u && id.x < arrayLength(&output)) {
        output[id.x] += sums[group.x - 1u];
    }
}
