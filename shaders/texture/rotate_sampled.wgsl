// Rotates an image about its centre through the texture unit: each invocation samples the source position of its pixel.
// Pattern: normalised coordinates u = x/width, v = y/height, moved by -0.5, rotated, moved back; the sampler does
// linear filtering and wrap addressing. Workgroups of 16 by 16.
// Work: 8 bytes per pixel: four read, four written.
// Summary: the texture unit filters and wraps
// Look for: The gain over rotate_by_hand, and how the angle changes it: in tiled storage columns are as near as rows,
// so that 90 degrees cost little.
// Limits: The filter rate, one bilinear sample per unit and cycle, then the stores of 4 bytes per pixel.

struct Sizes { width: u32, height: u32, cos: f32, sin: f32 }

@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var wrapped: sampler;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
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
    output[id.y * sizes.width + id.x] = pack4x8unorm(textureSampleLevel(image, wrapped, source, 0.0));
}
