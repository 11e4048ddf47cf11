// Rotates an image about its centre with the texture unit. Each invocation samples the source position of its pixel.
// Pattern: coordinates u = x/width and v = y/height, shifted by -0.5, rotated and shifted back. The sampler filters
// linearly and wraps. Workgroups are 16×16.
// Work: 8 bytes per pixel: four read, four written.
// Summary: the texture unit filters and wraps
// Look for: The gain over rotate_by_hand at each angle. In tiled storage, neighbours in a column are as close as those
// in a row, so 90 degrees costs little.
// Limits: The filter rate (one bilinear sample per cycle per texture unit), then the store of 4 bytes per pixel.

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
