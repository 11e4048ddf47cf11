// A blur by the weights 1, 2, 1 in both directions: four samples between texels, each the mean of four of them.

@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var smooth_sampler: sampler;
@group(0) @binding(2) var blurred: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = vec2<f32>(textureDimensions(image));
    let at = vec2<f32>(id.xy) + 0.5;
    var sum = vec4<f32>();
    for (var k = 0u; k < 4u; k += 1u) {
        let way = vec2<f32>(vec2(k % 2u, k / 2u)) - 0.5;
        sum += textureSampleLevel(image, smooth_sampler, (at + way) / size, 0.0);
    }
    if (all(id.xy < textureDimensions(blurred))) {
        textureStore(blurred, id.xy, sum / 4.0);
    }
}
