// The sums of tensor_int8.comp in plain WGSL: the answer with which it is compared. Each of 32 sets multiplies two tiles
// of A by four of B, 16 rows of 32 signed bytes each; rows of B are columns.

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<i32>;

const ROUNDS = 4096;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var own = 8u * id.x; own < 8u * id.x + 8u; own++) {
        let tiles = (own / 256u % 32u) * 128u;
        let row = tiles + own % 256u / 16u * 8u;
        let column = tiles + 256u + own % 16u * 8u;
        var sum = 0;
        for (var word = 0u; word < 8u; word++) {
            for (var b = 0u; b < 512u; b += 128u) {
                let factor = input[column + b + word];
                sum += dot4I8Packed(input[row + word], factor) + dot4I8Packed(input[row + 128u + word], factor);
            }
        }
        output[own] = ROUNDS * sum;
    }
}
