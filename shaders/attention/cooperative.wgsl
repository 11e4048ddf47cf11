// Attention on tensor cores by FlashAttention-2 (Dao, arXiv:2307.08691, 2023): 128 queries of a head per workgroup,
// 16 per subgroup, in steps of 32 keys. Products are cooperative matrices; queries and outputs stay in them.
// Pattern: a subgroup reads the tiles of keys and values from workgroup memory for its own queries. Scores pass through
// workgroup memory to invocations that own rows, exponentials in f16 back. An output in registers cannot be scaled by
// rows: a maximum is replaced only when it grows by 2^8, and the outputs then pass through workgroup memory once.
// Work: 4·heads·length²·D operations, half if causal; q, k, v read and the output written once.

enable f16;
enable wgpu_cooperative_matrix;

struct Sizes { heads: u32, length: u32 }

// Each has rows beyond those of the last head, which are read but not used.
@group(0) @binding(0) var<storage, read> q: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read> k: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read> v: array<vec4<f16>>;
@group(0) @binding(3) var<storage, read_write> output: array<vec4<f32>>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override QUERIES: u32 = 128u;
/// Elements of a query, a key and a value: 64 or 128.
override D: u32 = 128u;
/// 1: a query attends to no key after its own position.
override CAUSAL: u32 = 0u;

const PARTS = 8u;
const ROWS = 16u;
const KEYS = 32u;
// Pitches in vec4s: rows start in different banks and at multiples of 16 bytes. That of keys and values is D / 4 + 2.
const SCORES_PITCH = 9u;
const WEIGHTS_PITCH = 10u;
// An exponential has base 2. That of the reference is 2^6, so that small ones are normal numbers of f16; scores of 2^8
// times the reference replace it.
const SHIFT = 6.0f;
const GROWTH = 8.0f;
const LOWEST = -1e30f;
const LOG2_E = 1.44269504f;

var<workgroup> keys: array<vec4<f16>, KEYS * (D / 4u + 2u)>;
var<workgroup> values: array<vec4<f16>, KEYS * (D / 4u + 2u)>;
var<workgroup> scores: array<vec4<f32>, 128u * SCORES_PITCH>;
var<workgroup> weights: array<vec4<f16>, 128u * WEIGHTS_PITCH>;
// Whether a reference was replaced in this step.
var<workgroup> replaced: vec4<u32>;

// Stores an invocation's vec4s of the tile: one and every 256th after it.
fn keep_keys(t: u32, x_0: vec4<f16>, x_1: vec4<f16>, x_2: vec4<f16>, x_3: vec4<f16>) {
    let width = D / 4u;
    let at = t / width * (width + 2u) + t % width;
    let step = WG / width * (width + 2u);
    keys[at] = x_0;
    keys[at + step] = x_1;
    if (D > 64u) { keys[at + 2u * step] = x_2; }
    if (D > 64u) { keys[at + 3u * step] = x_3; }
}

// Stores an invocation's vec4s of the tile: one and every 256th after it.
fn keep_values(t: u32, x_0: vec4<f16>, x_1: vec4<f16>, x_2: vec4<f16>, x_3: vec4<f16>) {
    let width = D / 4u;
    let at = t / width * (width + 2u) + t % width;
    let step = WG / width * (width + 2u);
    values[at] = x_0;
    values[at + step] = x_1;
    if (D > 64u) { values[at + 2u * step] = x_2; }
    if (D > 64u) { values[at + 3u * step] = x_3; }
}

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let t = subgroup * min(size, WG) + lane;
    let number = group.y * groups.x + group.x;
    let length = sizes.length;
    let blocks = (length + QUERIES - 1u) / QUERIES;
    if (number >= sizes.heads * blocks) {
        return;
    }
    var head = number / blocks;
    var block = number % blocks;
    if (CAUSAL == 1u) {
        // The longest rows first: the last workgroups to run are short.
        head = number % sizes.heads;
        block = blocks - 1u - number / sizes.heads;
    }
    let width = D / 4u;
    let pitch = width + 2u;
    let base = head * length;
    let first = block * QUERIES;
    let end = select(length, min(first + QUERIES, length), CAUSAL == 1u);
    // Keys up to here are keys of every query.
    let whole = select(length, min(first + 1u, length), CAUSAL == 1u);
    let scale = LOG2_E * inverseSqrt(f32(D));
    let slot = subgroup % PARTS;
    // The invocation's row of scores, and its first vec4 there.
    let row = t / 2u;
    let own_first = t % 2u * 4u;
    let row_scores = row * SCORES_PITCH + own_first;
    let row_weights = row * WEIGHTS_PITCH + own_first;
    let own_scores_0 = (slot * ROWS + 0u) * SCORES_PITCH;
    let own_weights_0 = (slot * ROWS + 0u) * WEIGHTS_PITCH;
    let at_01 = own_scores_0 + 4u;
    // Each subgroup has a part of the queries; where there are fewer subgroups, several in turn. Subgroups beyond
    // the parts compute one that another stores.
    for (var first_part = 0u; first_part < PARTS; first_part += subgroups) {
        let is_own = subgroup < PARTS - first_part;
        let part = (first_part + slot) % PARTS;
        let position = first + first_part * ROWS + row;
        let limit = select(length - 1u, min(position, length - 1u), CAUSAL == 1u);
        let from_q = (base + first + part * ROWS) * width;
        let q_00 = coopLoadT<coop_mat16x16<f16, A>>(&q[from_q], width);
        let q_01 = coopLoadT<coop_mat16x16<f16, A>>(&q[from_q + 4u], width);
        let q_02 = coopLoadT<coop_mat16x16<f16, A>>(&q[from_q + 8u], width);
        let q_03 = coopLoadT<coop_mat16x16<f16, A>>(&q[from_q + 12u], width);
        let q_04 = coopLoadT<coop_mat16x16<f16, A>>(&q[from_q + 16u % width], width);
        let q_05 = coopLoadT<coop_mat16x16<f16, A>>(&q[from_q + 20u % width], width);
        let q_06 = coopLoadT<coop_mat16x16<f16, A>>(&q[from_q + 24u % width], width);
        let q_07 = coopLoadT<coop_mat16x16<f16, A>>(&q[from_q + 28u % width], width);
        var o_00 = coop_mat16x16<f32, C>();
        var o_01 = coop_mat16x16<f32, C>();
        var o_02 = coop_mat16x16<f32, C>();
        var o_03 = coop_mat16x16<f32, C>();
        var o_04 = coop_mat16x16<f32, C>();
        var o_05 = coop_mat16x16<f32, C>();
        var o_06 = coop_mat16x16<f32, C>();
        var o_07 = coop_mat16x16<f32, C>();
        var reference = 0.0f;
        var sum = 0.0f;
        if (t == 0u) {
            replaced.x = 0u;
        }
        {
            let at = base * width + t;
            keep_keys(t, k[at], k[at + WG], k[at + 2u * WG], k[at + 3u * WG]);
        }
        workgroupBarrier();
        for (var key = 0u; key < end; key += KEYS) {
            // The next keys, and these values, are on their way during the first product.
            let at = (base + key) * width + t;
            let next = at + KEYS * width;
            let v_0 = v[at];
            let v_1 = v[at + WG];
            let v_2 = v[at + 2u * WG];
            let v_3 = v[at + 3u * WG];
            let k_0 = k[next];
            let k_1 = k[next + WG];
            let k_2 = k[next + 2u * WG];
            let k_3 = k[next + 3u * WG];
            var s_00 = coop_mat16x16<f32, C>();
            var s_01 = coop_mat16x16<f32, C>();
            {
                let k_00 = coopLoad<coop_mat16x16<f16, B>>(&keys[0u], pitch);
                let k_01 = coopLoad<coop_mat16x16<f16, B>>(&keys[16u * pitch], pitch);
                s_00 = coopMultiplyAdd(q_00, k_00, s_00);
                s_01 = coopMultiplyAdd(q_00, k_01, s_01);
            }
            {
                let k_10 = coopLoad<coop_mat16x16<f16, B>>(&keys[4u], pitch);
                let k_11 = coopLoad<coop_mat16x16<f16, B>>(&keys[16u * pitch + 4u], pitch);
                s_00 = coopMultiplyAdd(q_01, k_10, s_00);
                s_01 = coopMultiplyAdd(q_01, k_11, s_01);
            }
            {
                let k_20 = coopLoad<coop_mat16x16<f16, B>>(&keys[8u], pitch);
                let k_21 = coopLoad<coop_mat16x16<f16, B>>(&keys[16u * pitch + 8u], pitch);
                s_00 = coopMultiplyAdd(q_02, k_20, s_00);
                s_01 = coopMultiplyAdd(q_02, k_21, s_01);
            }
            {
                let k_30 = coopLoad<coop_mat16x16<f16, B>>(&keys[12u], pitch);
                let k_31 = coopLoad<coop_mat16x16<f16, B>>(&keys[16u * pitch + 12u], pitch);
                s_00 = coopMultiplyAdd(q_03, k_30, s_00);
                s_01 = coopMultiplyAdd(q_03, k_31, s_01);
            }
            if (D > 64u) {
                let k_40 = coopLoad<coop_mat16x16<f16, B>>(&keys[16u], pitch);
                let k_41 = coopLoad<coop_mat16x16<f16, B>>(&keys[16u * pitch + 16u], pitch);
                s_00 = coopMultiplyAdd(q_04, k_40, s_00);
                s_01 = coopMultiplyAdd(q_04, k_41, s_01);
            }
            if (D > 64u) {
                let k_50 = coopLoad<coop_mat16x16<f16, B>>(&keys[20u], pitch);
                let k_51 = coopLoad<coop_mat16x16<f16, B>>(&keys[16u * pitch + 20u], pitch);
                s_00 = coopMultiplyAdd(q_05, k_50, s_00);
                s_01 = coopMultiplyAdd(q_05, k_51, s_01);
            }
            if (D > 64u) {
                let k_60 = coopLoad<coop_mat16x16<f16, B>>(&keys[24u], pitch);
                let k_61 = coopLoad<coop_mat16x16<f16, B>>(&keys[16u * pitch + 24u], pitch);
                s_00 = coopMultiplyAdd(q_06, k_60, s_00);
                s_01 = coopMultiplyAdd(q_06, k_61, s_01);
            }
            if (D > 64u) {
                let k_70 = coopLoad<coop_mat16x16<f16, B>>(&keys[28u], pitch);
                let k_71 = coopLoad<coop_mat16x16<f16, B>>(&keys[16u * pitch + 28u], pitch);
                s_00 = coopMultiplyAdd(q_07, k_70, s_00);
                s_01 = coopMultiplyAdd(q_07, k_71, s_01);
            }
            if (is_own) {
                coopStoreT(s_00, &scores[own_scores_0], SCORES_PITCH);
                coopStoreT(s_01, &scores[at_01], SCORES_PITCH);
            }
            // Every subgroup has read the keys, and the values of the step before.
            workgroupBarrier();
            keep_values(t, v_0, v_1, v_2, v_3);
            keep_keys(t, k_0, k_1, k_2, k_3);
            var x_0 = scores[row_scores];
            var x_1 = scores[row_scores + 1u];
            var x_2 = scores[row_scores + 2u * 1u];
            var x_3 = scores[row_scores + 3u * 1u];
            if (key + KEYS > whole) {
                let last = vec4<u32>(limit);
                let number = key + 4u * own_first + vec4<u32>(0u, 1u, 2u, 3u);
                x_0 = select(vec4<f32>(LOWEST), x_0, number <= last);
                x_1 = select(vec4<f32>(LOWEST), x_1, number + 4u <= last);
                x_2 = select(vec4<f32>(LOWEST), x_2, number + 8u <= last);
                x_3 = select(vec4<f32>(LOWEST), x_3, number + 12u <= last);
            }
            let most = max(max(x_0, x_1), max(x_2, x_3));
            var top = max(max(most.x, most.y), max(most.z, most.w));
            top = max(top, subgroupShuffleXor(top, 1u));
            top *= scale;
            var factor = 1.0f;
            if (key == 0u) {
                reference = top;
            } else if (top > reference + GROWTH) {
                factor = exp2(reference - top);
                reference = top;
                replaced.x = 1u;
            }
            let shift = vec4<f32>(SHIFT - reference);
            x_0 = exp2(fma(x_0, vec4<f32>(scale), shift));
            x_1 = exp2(fma(x_1, vec4<f32>(scale), shift));
            x_2 = exp2(fma(x_2, vec4<f32>(scale), shift));
            x_3 = exp2(fma(x_3, vec4<f32>(scale), shift));
            weights[row_weights] = vec4<f16>(x_0);
            weights[row_weights + 1u] = vec4<f16>(x_1);
            weights[row_weights + 2u] = vec4<f16>(x_2);
            weights[row_weights + 3u] = vec4<f16>(x_3);
            let total = ((x_0 + x_1) + (x_2 + x_3));
            sum = sum * factor + ((total.x + total.y) + (total.z + total.w));
            workgroupBarrier();
            if (replaced.x == 1u) {
                if (is_own) {
                    coopStoreT(o_00, &scores[own_scores_0], SCORES_PITCH);
                    coopStoreT(o_01, &scores[at_01], SCORES_PITCH);
                }
                workgroupBarrier();
                // Every invocation has read it.
                if (t == 0u) {
                    replaced.x = 0u;
                }
                scores[row_scores] *= factor;
                scores[row_scores + 1u] *= factor;
                scores[row_scores + 2u] *= factor;
                scores[row_scores + 3u] *= factor;
                workgroupBarrier();
                o_00 = coopLoadT<coop_mat16x16<f32, C>>(&scores[own_scores_0], SCORES_PITCH);
                o_01 = coopLoadT<coop_mat16x16<f32, C>>(&scores[at_01], SCORES_PITCH);
                workgroupBarrier();
                if (is_own) {
                    coopStoreT(o_02, &scores[own_scores_0], SCORES_PITCH);
                    coopStoreT(o_03, &scores[at_01], SCORES_PITCH);
                }
                workgroupBarrier();
                scores[row_scores] *= factor;
                scores[row_scores + 1u] *= factor;
                scores[row_scores + 2u] *= factor;
                scores[row_scores + 3u] *= factor;
                workgroupBarrier();
                o_02 = coopLoadT<coop_mat16x16<f32, C>>(&scores[own_scores_0], SCORES_PITCH);
                o_03 = coopLoadT<coop_mat16x16<f32, C>>(&scores[at_01], SCORES_PITCH);
                workgroupBarrier();
                if (D > 64u) {
                    if (is_own) {
                        coopStoreT(o_04, &scores[own_scores_0], SCORES_PITCH);
                        coopStoreT(o_05, &scores[at_01], SCORES_PITCH);
                    }
                    workgroupBarrier();
                    scores[row_scores] *= factor;
                    scores[row_scores + 1u] *= factor;
                    scores[row_scores + 2u] *= factor;
                    scores[row_scores + 3u] *= factor;
                    workgroupBarrier();
                    o_04 = coopLoadT<coop_mat16x16<f32, C>>(&scores[own_scores_0], SCORES_PITCH);
                    o_05 = coopLoadT<coop_mat16x16<f32, C>>(&scores[at_01], SCORES_PITCH);
                    workgroupBarrier();
                }
                if (D > 64u) {
                    if (is_own) {
                        coopStoreT(o_06, &scores[own_scores_0], SCORES_PITCH);
                        coopStoreT(o_07, &scores[at_01], SCORES_PITCH);
                    }
                    workgroupBarrier();
                    scores[row_scores] *= factor;
                    scores[row_scores + 1u] *= factor;
                    scores[row_scores + 2u] *= factor;
                    scores[row_scores + 3u] *= factor;
                    workgroupBarrier();
                    o_06 = coopLoadT<coop_mat16x16<f32, C>>(&scores[own_scores_0], SCORES_PITCH);
                    o_07 = coopLoadT<coop_mat16x16<f32, C>>(&scores[at_01], SCORES_PITCH);
                    workgroupBarrier();
                }
            }
            {
                let p_0 = coopLoadT<coop_mat16x16<f16, A>>(&weights[own_weights_0], WEIGHTS_PITCH);
                let v_0 = coopLoadT<coop_mat16x16<f16, B>>(&values[0u], pitch);
                o_00 = coopMultiplyAdd(p_0, v_0, o_00);
                let v_1 = coopLoadT<coop_mat16x16<f16, B>>(&values[4u], pitch);
                o_01 = coopMultiplyAdd(p_0, v_1, o_01);
                let v_2 = coopLoadT<coop_mat16x16<f16, B>>(&values[8u], pitch);
                o_02 = coopMultiplyAdd(p_0, v_2, o_02);
                let v_3 = coopLoadT<coop_mat16x16<f16, B>>(&values[12u], pitch);
                o_03 = coopMultiplyAdd(p_0, v_3, o_03);
                if (D > 64u) {
                    let v_4 = coopLoadT<coop_mat16x16<f16, B>>(&values[16u], pitch);
                    o_04 = coopMultiplyAdd(p_0, v_4, o_04);
                }
                if (D > 64u) {
                    let v_5 = coopLoadT<coop_mat16x16<f16, B>>(&values[20u], pitch);
                    o_05 = coopMultiplyAdd(p_0, v_5, o_05);
                }
                if (D > 64u) {
                    let v_6 = coopLoadT<coop_mat16x16<f16, B>>(&values[24u], pitch);
                    o_06 = coopMultiplyAdd(p_0, v_6, o_06);
                }
                if (D > 64u) {
                    let v_7 = coopLoadT<coop_mat16x16<f16, B>>(&values[28u], pitch);
                    o_07 = coopMultiplyAdd(p_0, v_7, o_07);
                }
            }
            {
                let p_0 = coopLoadT<coop_mat16x16<f16, A>>(&weights[own_weights_0 + 4u], WEIGHTS_PITCH);
                let v_0 = coopLoadT<coop_mat16x16<f16, B>>(&values[16u * pitch], pitch);
                o_00 = coopMultiplyAdd(p_0, v_0, o_00);
                let v_1 = coopLoadT<coop_mat16x16<f16, B>>(&values[16u * pitch + 4u], pitch);
                o_01 = coopMultiplyAdd(p_0, v_1, o_01);
                let v_2 = coopLoadT<coop_mat16x16<f16, B>>(&values[16u * pitch + 8u], pitch);
                o_02 = coopMultiplyAdd(p_0, v_2, o_02);
                let v_3 = coopLoadT<coop_mat16x16<f16, B>>(&values[16u * pitch + 12u], pitch);
                o_03 = coopMultiplyAdd(p_0, v_3, o_03);
                if (D > 64u) {
                    let v_4 = coopLoadT<coop_mat16x16<f16, B>>(&values[16u * pitch + 16u], pitch);
                    o_04 = coopMultiplyAdd(p_0, v_4, o_04);
                }
                if (D > 64u) {
                    let v_5 = coopLoadT<coop_mat16x16<f16, B>>(&values[16u * pitch + 20u], pitch);
                    o_05 = coopMultiplyAdd(p_0, v_5, o_05);
                }
                if (D > 64u) {
                    let v_6 = coopLoadT<coop_mat16x16<f16, B>>(&values[16u * pitch + 24u], pitch);
                    o_06 = coopMultiplyAdd(p_0, v_6, o_06);
                }
                if (D > 64u) {
                    let v_7 = coopLoadT<coop_mat16x16<f16, B>>(&values[16u * pitch + 28u], pitch);
                    o_07 = coopMultiplyAdd(p_0, v_7, o_07);
                }
            }
        }
        sum += subgroupShuffleXor(sum, 1u);
        let factor = 1.0f / sum;
        let is_stored = position < length && row < subgroups * ROWS && first_part * ROWS + row < QUERIES;
        let to = (base + position) * width + own_first;
        workgroupBarrier();
        if (is_own) {
            coopStoreT(o_00, &scores[own_scores_0], SCORES_PITCH);
            coopStoreT(o_01, &scores[at_01], SCORES_PITCH);
        }
        workgroupBarrier();
        if (is_stored) {
            output[to] = scores[row_scores] * factor;
            output[to + 1u] = scores[row_scores + 1u] * factor;
            output[to + 2u] = scores[row_scores + 2u] * factor;
            output[to + 3u] = scores[row_scores + 3u] * factor;
        }
        workgroupBarrier();
        if (is_own) {
            coopStoreT(o_02, &scores[own_scores_0], SCORES_PITCH);
            coopStoreT(o_03, &scores[at_01], SCORES_PITCH);
        }
        workgroupBarrier();
        if (is_stored) {
            output[to + 8u] = scores[row_scores] * factor;
            output[to + 8u + 1u] = scores[row_scores + 1u] * factor;
            output[to + 8u + 2u] = scores[row_scores + 2u] * factor;
            output[to + 8u + 3u] = scores[row_scores + 3u] * factor;
        }
        if (D > 64u) {
            workgroupBarrier();
            if (is_own) {
                coopStoreT(o_04, &scores[own_scores_0], SCORES_PITCH);
                coopStoreT(o_05, &scores[at_01], SCORES_PITCH);
            }
            workgroupBarrier();
            if (is_stored) {
                output[to + 16u] = scores[row_scores] * factor;
                output[to + 16u + 1u] = scores[row_scores + 1u] * factor;
                output[to + 16u + 2u] = scores[row_scores + 2u] * factor;
                output[to + 16u + 3u] = scores[row_scores + 3u] * factor;
            }
        }
        if (D > 64u) {
            workgroupBarrier();
            if (is_own) {
                coopStoreT(o_06, &scores[own_scores_0], SCORES_PITCH);
                coopStoreT(o_07, &scores[at_01], SCORES_PITCH);
            }
            workgroupBarrier();
            if (is_stored) {
                output[to + 24u] = scores[row_scores] * factor;
                output[to + 24u + 1u] = scores[row_scores + 1u] * factor;
                output[to + 24u + 2u] = scores[row_scores + 2u] * factor;
                output[to + 24u + 3u] = scores[row_scores + 3u] * factor;
            }
        }
        // Before the next part's keys and scores.
        workgroupBarrier();
    }
}
