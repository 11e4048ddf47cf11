// Four steps of n bodies: each reads the positions of one buffer and writes those of the next.

struct Motion { dt: f32, softening: f32, count: u32 }

@group(0) @binding(0) var<storage, read> before: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> after: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocities: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> motion: Motion;

const WG = 64u;

var<workgroup> tile: array<vec4<f32>, WG>;

@compute @workgroup_size(WG)
fn tiled(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let count = motion.count;
    let own = before[min(id.x, count - 1u)];
    var force = vec3<f32>();
    for (var first = 0u; first < count; first += WG) {
        tile[t] = before[min(first + t, count - 1u)];
        workgroupBarrier();
        for (var k = 0u; k < min(WG, count - first); k += 1u) {
            force += pull(own, tile[k]);
        }
        workgroupBarrier();
    }
    if (id.x < count) {
        advance(id.x, own, force);
    }
}

@compute @workgroup_size(WG)
fn naive(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = motion.count;
    if (id.x >= count) {
        return;
    }
    let own = before[id.x];
    var force = vec3<f32>();
    for (var k = 0u; k < count; k += 1u) {
        force += pull(own, before[k]);
    }
    advance(id.x, own, force);
}

fn pull(own: vec4<f32>, other: vec4<f32>) -> vec3<f32> {
    let way = other.xyz - own.xyz;
    let inverse = inverseSqrt(dot(way, way) + motion.softening);
    return way * (other.w * inverse * inverse * inverse);
}

fn advance(index: u32, own: vec4<f32>, force: vec3<f32>) {
    let velocity = velocities[index] + motion.dt * vec4<f32>(force, 0.0);
    velocities[index] = velocity;
    after[index] = own + motion.dt * vec4<f32>(velocity.xyz, 0.0);
}
