// The kernel `rotate_sampled` with one f32 channel.
// Pattern: as in `rotate_sampled`.
// Work: 8 bytes per pixel: four read, four written.
// Summary: rotate_sampled with one f32 channel, as in the source article
// Look for: The rate compared with rotate_sampled, which moves as many bytes per pixel. A texture unit may take longer
// to filter 32-bit floats than 8-bit values.
// Limits: The filter rate of f32 textures, then the store of 4 bytes per pixel.

struct Sizes { width: u32, height: u32, cos: f32, sin: f32 }

@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var wrapped: sampler;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

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
    output[id.y * sizes.width + id.x] = textureSampleLevel(image, wrapped, source, 0.0).x;
}
