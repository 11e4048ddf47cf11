// The inclusive prefix sum of each piece of 4 WG elements: four in registers, the rest by Hillis and Steele's steps.

@group(0) @binding(0) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;

override WG: u32 = 256u;

var<workgroup> sums: array<u32, 2u * WG>;

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let x = input[id.x];
    let y = x.x + x.y;
    let z = y + x.z;
    let own = vec4<u32>(x.x, y, z, z + x.w);
    sums[t] = own.w;
    var half = 0u;
    for (var s = 1u; s < WG; s *= 2u) {
        workgroupBarrier();
        var sum = sums[half + t];
        if (t >= s) {
            sum += sums[half + t - s];
        }
        half = WG - half;
        sums[half + t] = sum;
    }
    workgroupBarrier();
    output[id.x] = own + (sums[half + t] - own.w);
}
