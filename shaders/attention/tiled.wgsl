// Attention with the online softmax (Dao et al., FlashAttention, arXiv:2205.14135, 2022), which stores no scores in
// global memory. Each workgroup processes 64 queries of a head over tiles of 16 keys and their values.
// Pattern: Eight invocations share four queries. Each invocation computes the scores of two keys and keeps D / 8
// elements of each output in registers. Maxima, exponentials, keys and values are exchanged through workgroup memory.
// Work: 4 · heads · length² · D operations, half if causal. q, k, v and the output are each counted once.
// Summary: online softmax over tiles of 16 keys in workgroup memory, 64 queries per workgroup
// Look for: The gain over `naive`, since each loaded key serves 64 queries. Compare the share of the FMA peak with that
// of matmul/register_blocked, which has no exponentials.
// Limits: Workgroup memory and instruction issue: six vector loads per 32 multiply-adds, and four barriers per tile.

alias T = f32;

struct Sizes { heads: u32, length: u32 }

@group(0) @binding(0) var<storage, read> q: array<vec4<T>>;
@group(0) @binding(1) var<storage, read> k: array<vec4<T>>;
@group(0) @binding(2) var<storage, read> v: array<vec4<T>>;
@group(0) @binding(3) var<storage, read_write> output: array<vec4<T>>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

/// Elements of a query, a key and a value: 64 or 128.
override D: u32 = 128u;
/// 1: a query attends to no key after its own position.
override CAUSAL: u32 = 0u;

const WG = 128u;
const QUERIES = 64u;
const KEYS = 16u;
const LOWEST = -0x1.fffffep+127f;

// Vector c of key `key` is at key * (D / 4 + 1) + c: one vector more than a row holds, so that rows start in different
// banks.
var<workgroup> tile: array<vec4<T>, KEYS * (D / 4u + 1u)>;
// The exponentials of a query, five vectors apart for the same reason.
var<workgroup> weights: array<vec4<T>, QUERIES * 5u>;
// The maxima that the eight invocations of a query find.
var<workgroup> maxima: array<vec4<T>, QUERIES * 2u>;

fn largest(x: vec4<T>) -> T {
    return max(max(x.x, x.y), max(x.z, x.w));
}

fn added(x: vec4<T>) -> T {
    return (x.x + x.y) + (x.z + x.w);
}

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
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
    let pitch = width + 1u;
    let base = head * length;
    let first = block * QUERIES;
    let lane = t % 8u;
    // The four queries lie 16 apart. Those beyond the end are computed as the last one, and not stored.
    let own = t / 8u;
    let row_0 = min(first + own + 0u, length - 1u);
    let row_1 = min(first + own + 16u, length - 1u);
    let row_2 = min(first + own + 32u, length - 1u);
    let row_3 = min(first + own + 48u, length - 1u);
    let from_0 = (base + row_0) * width;
    let from_1 = (base + row_1) * width;
    let from_2 = (base + row_2) * width;
    let from_3 = (base + row_3) * width;
    // The last key of each.
    let limit_0 = select(length - 1u, row_0, CAUSAL == 1u);
    let limit_1 = select(length - 1u, row_1, CAUSAL == 1u);
    let limit_2 = select(length - 1u, row_2, CAUSAL == 1u);
    let limit_3 = select(length - 1u, row_3, CAUSAL == 1u);
    let end = select(length, min(first + QUERIES, length), CAUSAL == 1u);
    let scale = inverseSqrt(f32(D));
    var top_0 = LOWEST;
    var sum_0 = 0.0f;
    var o_00 = vec4<T>();
    var o_01 = vec4<T>();
    var o_02 = vec4<T>();
    var o_03 = vec4<T>();
    var top_1 = LOWEST;
    var sum_1 = 0.0f;
    var o_10 = vec4<T>();
    var o_11 = vec4<T>();
    var o_12 = vec4<T>();
    var o_13 = vec4<T>();
    var top_2 = LOWEST;
    var sum_2 = 0.0f;
    var o_20 = vec4<T>();
    var o_21 = vec4<T>();
    var o_22 = vec4<T>();
    var o_23 = vec4<T>();
    var top_3 = LOWEST;
    var sum_3 = 0.0f;
    var o_30 = vec4<T>();
    var o_31 = vec4<T>();
    var o_32 = vec4<T>();
    var o_33 = vec4<T>();
    for (var key = 0u; key < end; key += KEYS) {
        for (var i = t; i < KEYS * width; i += WG) {
            let at = min(key + i / width, length - 1u);
            tile[i / width * pitch + i % width] = k[(base + at) * width + i % width];
        }
        workgroupBarrier();
        var a_0 = 0.0f;
        var b_0 = 0.0f;
        var a_1 = 0.0f;
        var b_1 = 0.0f;
        var a_2 = 0.0f;
        var b_2 = 0.0f;
        var a_3 = 0.0f;
        var b_3 = 0.0f;
        for (var c = 0u; c < width; c++) {
            let key_a = tile[lane * pitch + c];
            let key_b = tile[(lane + 8u) * pitch + c];
            let q_0 = q[from_0 + c];
            a_0 += dot(q_0, key_a);
            b_0 += dot(q_0, key_b);
            let q_1 = q[from_1 + c];
            a_1 += dot(q_1, key_a);
            b_1 += dot(q_1, key_b);
            let q_2 = q[from_2 + c];
            a_2 += dot(q_2, key_a);
            b_2 += dot(q_2, key_b);
            let q_3 = q[from_3 + c];
            a_3 += dot(q_3, key_a);
            b_3 += dot(q_3, key_b);
        }
        a_0 = select(LOWEST, a_0 * scale, key + lane <= limit_0);
        b_0 = select(LOWEST, b_0 * scale, key + lane + 8u <= limit_0);
        maxima[(own + 0u) * 2u + lane / 4u][lane % 4u] = max(a_0, b_0);
        a_1 = select(LOWEST, a_1 * scale, key + lane <= limit_1);
        b_1 = select(LOWEST, b_1 * scale, key + lane + 8u <= limit_1);
        maxima[(own + 16u) * 2u + lane / 4u][lane % 4u] = max(a_1, b_1);
        a_2 = select(LOWEST, a_2 * scale, key + lane <= limit_2);
        b_2 = select(LOWEST, b_2 * scale, key + lane + 8u <= limit_2);
        maxima[(own + 32u) * 2u + lane / 4u][lane % 4u] = max(a_2, b_2);
        a_3 = select(LOWEST, a_3 * scale, key + lane <= limit_3);
        b_3 = select(LOWEST, b_3 * scale, key + lane + 8u <= limit_3);
        maxima[(own + 48u) * 2u + lane / 4u][lane % 4u] = max(a_3, b_3);
        workgroupBarrier();
        let among_0 = max(maxima[(own + 0u) * 2u], maxima[(own + 0u) * 2u + 1u]);
        let new_0 = max(top_0, largest(among_0));
        let factor_0 = exp(top_0 - new_0);
        top_0 = new_0;
        weights[(own + 0u) * 5u + lane / 4u][lane % 4u] = exp(a_0 - new_0);
        weights[(own + 0u) * 5u + 2u + lane / 4u][lane % 4u] = exp(b_0 - new_0);
        let among_1 = max(maxima[(own + 16u) * 2u], maxima[(own + 16u) * 2u + 1u]);
        let new_1 = max(top_1, largest(among_1));
        let factor_1 = exp(top_1 - new_1);
        top_1 = new_1;
        weights[(own + 16u) * 5u + lane / 4u][lane % 4u] = exp(a_1 - new_1);
        weights[(own + 16u) * 5u + 2u + lane / 4u][lane % 4u] = exp(b_1 - new_1);
        let among_2 = max(maxima[(own + 32u) * 2u], maxima[(own + 32u) * 2u + 1u]);
        let new_2 = max(top_2, largest(among_2));
        let factor_2 = exp(top_2 - new_2);
        top_2 = new_2;
        weights[(own + 32u) * 5u + lane / 4u][lane % 4u] = exp(a_2 - new_2);
        weights[(own + 32u) * 5u + 2u + lane / 4u][lane % 4u] = exp(b_2 - new_2);
        let among_3 = max(maxima[(own + 48u) * 2u], maxima[(own + 48u) * 2u + 1u]);
        let new_3 = max(top_3, largest(among_3));
        let factor_3 = exp(top_3 - new_3);
        top_3 = new_3;
        weights[(own + 48u) * 5u + lane / 4u][lane % 4u] = exp(a_3 - new_3);
        weights[(own + 48u) * 5u + 2u + lane / 4u][lane % 4u] = exp(b_3 - new_3);
        // Every invocation has read the keys.
        for (var i = t; i < KEYS * width; i += WG) {
            let at = min(key + i / width, length - 1u);
            tile[i / width * pitch + i % width] = v[(base + at) * width + i % width];
        }
        workgroupBarrier();
        sum_0 *= factor_0;
        o_00 *= factor_0;
        o_01 *= factor_0;
        if (D > 64u) { o_02 *= factor_0; }
        if (D > 64u) { o_03 *= factor_0; }
        sum_1 *= factor_1;
        o_10 *= factor_1;
        o_11 *= factor_1;
        if (D > 64u) { o_12 *= factor_1; }
        if (D > 64u) { o_13 *= factor_1; }
        sum_2 *= factor_2;
        o_20 *= factor_2;
        o_21 *= factor_2;
        if (D > 64u) { o_22 *= factor_2; }
        if (D > 64u) { o_23 *= factor_2; }
        sum_3 *= factor_3;
        o_30 *= factor_3;
        o_31 *= factor_3;
        if (D > 64u) { o_32 *= factor_3; }
        if (D > 64u) { o_33 *= factor_3; }
        for (var four = 0u; four < KEYS / 4u; four++) {
            let p_0 = weights[(own + 0u) * 5u + four];
            sum_0 += added(p_0);
            let p_1 = weights[(own + 16u) * 5u + four];
            sum_1 += added(p_1);
            let p_2 = weights[(own + 32u) * 5u + four];
            sum_2 += added(p_2);
            let p_3 = weights[(own + 48u) * 5u + four];
            sum_3 += added(p_3);
            let from_v = 4u * four * pitch + lane;
            {
                let v_0 = tile[from_v];
                let v_1 = tile[from_v + 1u * pitch];
                let v_2 = tile[from_v + 2u * pitch];
                let v_3 = tile[from_v + 3u * pitch];
                o_00 += (p_0.x * v_0 + p_0.y * v_1) + (p_0.z * v_2 + p_0.w * v_3);
                o_10 += (p_1.x * v_0 + p_1.y * v_1) + (p_1.z * v_2 + p_1.w * v_3);
                o_20 += (p_2.x * v_0 + p_2.y * v_1) + (p_2.z * v_2 + p_2.w * v_3);
                o_30 += (p_3.x * v_0 + p_3.y * v_1) + (p_3.z * v_2 + p_3.w * v_3);
            }
            {
                let v_0 = tile[from_v + 8u];
                let v_1 = tile[from_v + 8u + 1u * pitch];
                let v_2 = tile[from_v + 8u + 2u * pitch];
                let v_3 = tile[from_v + 8u + 3u * pitch];
                o_01 += (p_0.x * v_0 + p_0.y * v_1) + (p_0.z * v_2 + p_0.w * v_3);
                o_11 += (p_1.x * v_0 + p_1.y * v_1) + (p_1.z * v_2 + p_1.w * v_3);
                o_21 += (p_2.x * v_0 + p_2.y * v_1) + (p_2.z * v_2 + p_2.w * v_3);
                o_31 += (p_3.x * v_0 + p_3.y * v_1) + (p_3.z * v_2 + p_3.w * v_3);
            }
            if (D > 64u) {
                let v_0 = tile[from_v + 16u];
                let v_1 = tile[from_v + 16u + 1u * pitch];
                let v_2 = tile[from_v + 16u + 2u * pitch];
                let v_3 = tile[from_v + 16u + 3u * pitch];
                o_02 += (p_0.x * v_0 + p_0.y * v_1) + (p_0.z * v_2 + p_0.w * v_3);
                o_12 += (p_1.x * v_0 + p_1.y * v_1) + (p_1.z * v_2 + p_1.w * v_3);
                o_22 += (p_2.x * v_0 + p_2.y * v_1) + (p_2.z * v_2 + p_2.w * v_3);
                o_32 += (p_3.x * v_0 + p_3.y * v_1) + (p_3.z * v_2 + p_3.w * v_3);
            }
            if (D > 64u) {
                let v_0 = tile[from_v + 24u];
                let v_1 = tile[from_v + 24u + 1u * pitch];
                let v_2 = tile[from_v + 24u + 2u * pitch];
                let v_3 = tile[from_v + 24u + 3u * pitch];
                o_03 += (p_0.x * v_0 + p_0.y * v_1) + (p_0.z * v_2 + p_0.w * v_3);
                o_13 += (p_1.x * v_0 + p_1.y * v_1) + (p_1.z * v_2 + p_1.w * v_3);
                o_23 += (p_2.x * v_0 + p_2.y * v_1) + (p_2.z * v_2 + p_2.w * v_3);
                o_33 += (p_3.x * v_0 + p_3.y * v_1) + (p_3.z * v_2 + p_3.w * v_3);
            }
        }
        // Before the next keys.
        workgroupBarrier();
    }
    if (first + own + 0u < length) {
        let factor = 1.0f / sum_0;
        output[from_0 + lane] = o_00 * factor;
        output[from_0 + lane + 8u] = o_01 * factor;
        if (D > 64u) { output[from_0 + lane + 16u] = o_02 * factor; }
        if (D > 64u) { output[from_0 + lane + 24u] = o_03 * factor; }
    }
    if (first + own + 16u < length) {
        let factor = 1.0f / sum_1;
        output[from_1 + lane] = o_10 * factor;
        output[from_1 + lane + 8u] = o_11 * factor;
        if (D > 64u) { output[from_1 + lane + 16u] = o_12 * factor; }
        if (D > 64u) { output[from_1 + lane + 24u] = o_13 * factor; }
    }
    if (first + own + 32u < length) {
        let factor = 1.0f / sum_2;
        output[from_2 + lane] = o_20 * factor;
        output[from_2 + lane + 8u] = o_21 * factor;
        if (D > 64u) { output[from_2 + lane + 16u] = o_22 * factor; }
        if (D > 64u) { output[from_2 + lane + 24u] = o_23 * factor; }
    }
    if (first + own + 48u < length) {
        let factor = 1.0f / sum_3;
        output[from_3 + lane] = o_30 * factor;
        output[from_3 + lane + 8u] = o_31 * factor;
        if (D > 64u) { output[from_3 + lane + 16u] = o_32 * factor; }
        if (D > 64u) { output[from_3 + lane + 24u] = o_33 * factor; }
    }
}
