// The acceleration of each body by all others, in tiles through workgroup memory. A body is its position and its mass.

@group(0) @binding(0) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> accelerations: array<vec4<f32>>;

override WG: u32 = 256u;

const SOFTENING = 0.01;

var<workgroup> tile: array<vec4<f32>, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let n = arrayLength(&bodies);
    let own = bodies[min(id.x, n - 1u)].xyz;
    var sum = vec3<f32>();
    for (var first = 0u; first < n; first += WG) {
        // A body past the end has no mass.
        let k = first + t;
        var body = vec4<f32>();
        if (k < n) {
            body = bodies[k];
        }
        tile[t] = body;
        workgroupBarrier();
        for (var k = 0u; k < WG; k++) {
            let way = tile[k].xyz - own;
            let squared = dot(way, way) + SOFTENING;
            let inverse = inverseSqrt(squared);
            sum += way * (tile[k].w * inverse * inverse * inverse);
        }
        workgroupBarrier();
    }
    if (id.x < n) {
        accelerations[id.x] = vec4<f32>(sum, 0.0);
    }
}
