// The kernel `rotate_by_hand` with one f32 channel.
// Pattern: as in `rotate_by_hand`.
// Work: 8 bytes per pixel: four read, four written.
// Summary: rotate_by_hand with one f32 channel, as in the source article
// Look for: The rate compared with rotate_by_hand, which interpolates four channels instead of one.
// Limits: Computing and wrapping coordinates, which costs as much as for four channels, and loads that use only part of
// each cache line.

struct Sizes { width: u32, height: u32, cos: f32, sin: f32 }

@group(0) @binding(0) var<storage, read> image: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(16, 16)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
) {
    if (id.x >= sizes.width || id.y >= sizes.height) {
        return;
    }
    let u = f32(id.x) / f32(sizes.width) - 0.5;
    let v = f32(id.y) / f32(sizes.height) - 0.5;
    let source = vec2<f32>(u * sizes.cos - v * sizes.sin, v * sizes.cos + u * sizes.sin) + 0.5;
    // Pixel centres are at half-integer coordinates.
    let place = source * vec2<f32>(f32(sizes.width), f32(sizes.height)) - 0.5;
    let corner = floor(place);
    let part = place - corner;
    let left = wrap(i32(corner.x), i32(sizes.width));
    let right = select(left + 1u, 0u, left + 1u == sizes.width);
    let upper = wrap(i32(corner.y), i32(sizes.height));
    let lower = select(upper + 1u, 0u, upper + 1u == sizes.height);
    let above = mix(pixel(left, upper), pixel(right, upper), part.x);
    let below = mix(pixel(left, lower), pixel(right, lower), part.x);
    output[id.y * sizes.width + id.x] = mix(above, below, part.y);
}

/// `at` wrapped to `0..length`. Of negative numbers OpenGL leaves the remainder undefined: `~at` is `-1 - at`.
fn wrap(at: i32, length: i32) -> u32 {
    let rest = select(at, ~at, at < 0) % length;
    return u32(select(rest, length - 1 - rest, at < 0));
}

fn pixel(x: u32, y: u32) -> f32 {
    return image[y * sizes.width + x];
}
