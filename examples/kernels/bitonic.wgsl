// Sorts each piece of 2 WG keys in place in workgroup memory (Batcher's bitonic network).

@group(0) @binding(0) var<storage, read_write> keys: array<u32>;

override WG: u32 = 128u;

var<workgroup> piece: array<u32, 2u * WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let first = group.x * 2u * WG;
    piece[t] = keys[first + t];
    piece[t + WG] = keys[first + t + WG];
    for (var length = 2u; length <= 2u * WG; length *= 2u) {
        for (var apart = length / 2u; apart > 0u; apart /= 2u) {
            workgroupBarrier();
            let low = 2u * t - (t & (apart - 1u));
            let high = low + apart;
            let is_rising = (low & length) == 0u;
            let a = piece[low];
            let b = piece[high];
            piece[low] = select(max(a, b), min(a, b), is_rising);
            piece[high] = select(min(a, b), max(a, b), is_rising);
        }
    }
    workgroupBarrier();
    keys[first + t] = piece[t];
    keys[first + t + WG] = piece[t + WG];
}
