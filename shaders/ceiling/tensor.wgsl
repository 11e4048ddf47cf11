// Eight independent chains of 16×16 f16 matrix products per subgroup, accumulated in f32 by cooperative matrices,
// ROUNDS steps each. The sum of the chains is stored.
// Pattern: No memory accesses in the loop. All inputs are ±1, and sums are integers up to 128 · ROUNDS. Up to ROUNDS =
// 131,072, every partial sum is exact in f32, so the result is verified bit for bit.
// Work: 2 · 16 · 8 · ROUNDS operations for each of n scalars, 256 scalars per subgroup.
// Summary: eight independent chains of 16×16 f16 matrix products per subgroup, accumulated in f32 by tensor cores
// Look for: The gain over `fma_f16`. On NVIDIA, this is the rate of `mma`, the warp-level matrix instruction. On
// Hopper, `wgmma` is faster: an H100 SXM reaches 626 to 634 TFLOP/s here, but its data sheet states 990 (dense).
// Limits: The issue rate of `mma`, and the power limit.

enable f16;
enable wgpu_cooperative_matrix;

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read> input: array<f16>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 128u;
override ROUNDS: u32 = 512u;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    // One set of chains per 32 invocations: larger subgroups compute several in turn, and what smaller ones compute in
    // excess is not stored.
    for (var first = 0u; first < WG / 32u; first += subgroups) {
        let own = first + subgroup;
        let place = (group.y * groups.x + group.x) * (WG / 32u) + own;
        let at = (place & 31u) * 256u;
        let a0 = coopLoadT<coop_mat16x16<f16, A>>(&input[at], 16u);
        let a1 = coopLoadT<coop_mat16x16<f16, A>>(&input[at + 256u], 16u);
        let b0 = coopLoadT<coop_mat16x16<f16, B>>(&input[at + 512u], 16u);
        let b1 = coopLoadT<coop_mat16x16<f16, B>>(&input[at + 768u], 16u);
        let b2 = coopLoadT<coop_mat16x16<f16, B>>(&input[at + 1024u], 16u);
        let b3 = coopLoadT<coop_mat16x16<f16, B>>(&input[at + 1280u], 16u);
        var x00 = coop_mat16x16<f32, C>();
        var x01 = coop_mat16x16<f32, C>();
        var x02 = coop_mat16x16<f32, C>();
        var x03 = coop_mat16x16<f32, C>();
        var x10 = coop_mat16x16<f32, C>();
        var x11 = coop_mat16x16<f32, C>();
        var x12 = coop_mat16x16<f32, C>();
        var x13 = coop_mat16x16<f32, C>();
        for (var k = 0u; k < ROUNDS; k++) {
            x00 = coopMultiplyAdd(a0, b0, x00);
            x01 = coopMultiplyAdd(a0, b1, x01);
            x02 = coopMultiplyAdd(a0, b2, x02);
            x03 = coopMultiplyAdd(a0, b3, x03);
            x10 = coopMultiplyAdd(a1, b0, x10);
            x11 = coopMultiplyAdd(a1, b1, x11);
            x12 = coopMultiplyAdd(a1, b2, x12);
            x13 = coopMultiplyAdd(a1, b3, x13);
        }
        let sum = ((x00 + x01) + (x02 + x03)) + ((x10 + x11) + (x12 + x13));
        let to = 256u * place;
        if (own < WG / 32u && to < sizes.elements) {
            coopStoreT(sum, &output[to], 16u);
        }
    }
}
