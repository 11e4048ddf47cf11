// Attention on tensor cores, after FlashAttention-2 (Dao, arXiv:2307.08691, 2023). Each workgroup processes 128 queries
// of a head in steps of 32 keys. Queries and outputs stay in cooperative matrices.
// Pattern: Each subgroup processes 16 queries and reads all keys and values from workgroup memory. Scores and their
// exponentials pass through workgroup memory, since WGSL does not define which matrix elements an invocation holds. For
// the same reason, outputs in a matrix cannot be scaled by row. Exponentials of a row are therefore relative to the
// maximum of its first step until one exceeds 2^8. The maximum of the current step then becomes the reference, and
// outputs are rescaled in workgroup memory.
// Work: 4 · heads · length² · D operations, half if causal. q, k, v and the output are each counted once.
// Summary: f16 inputs on tensor cores, f32 accumulation and softmax, 128 queries per workgroup
// Look for: How close the rate comes to that of ceiling/tensor, and the gain over `tiled`, which uses only the FMA
// units. Compare WGSL with CUDA, where a thread knows which matrix elements it holds, so scores stay in registers.
// Limits: Reads of workgroup memory, and the exponentials, during which tensor cores are idle unless another workgroup
// is resident.

enable f16;
enable wgpu_cooperative_matrix;

alias Four = array<vec4<f16>, 4>;
alias MatrixA = coop_mat16x16<f16, A>;
alias MatrixB = coop_mat16x16<f16, B>;
alias MatrixC = coop_mat16x16<f32, C>;

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
// Whether a reference was replaced in this step. A vec4, so that the size of every variable is a multiple of 16 bytes:
// drivers align a variable to its type only, and matrices are loaded from multiples of 16 bytes.
var<workgroup> replaced: vec4<u32>;

// Where an invocation's i-th vec4 of a tile of keys or values lies: those of the tile are taken one by one in turn.
fn place(t: u32, i: u32) -> u32 {
    let width = D / 4u;
    return t / width * (width + 2u) + t % width + i * (WG / width * (width + 2u));
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
    let own_scores = slot * ROWS * SCORES_PITCH;
    let own_weights = slot * ROWS * WEIGHTS_PITCH;
    // Each subgroup has a part of the queries; where there are fewer subgroups, several in turn. Subgroups beyond
    // the parts compute one that another stores.
    for (var first_part = 0u; first_part < PARTS; first_part += subgroups) {
        let is_own = subgroup < PARTS - first_part;
        let part = (first_part + slot) % PARTS;
        let position = first + first_part * ROWS + row;
        let limit = select(length - 1u, min(position, length - 1u), CAUSAL == 1u);
        let from_q = (base + first + part * ROWS) * width;
        var queries = array<MatrixA, 8>();
        var o = array<MatrixC, 8>();
        var next_keys = Four();
        var next_values = Four();
        // unroll
        for (var i = 0u; i < D / 16u; i++) {
            queries[i] = coopLoadT<MatrixA>(&q[from_q + 4u * i], width);
        }
        var reference = 0.0f;
        var sum = 0.0f;
        if (t == 0u) {
            replaced.x = 0u;
        }
        // unroll
        for (var i = 0u; i < D / 32u; i++) {
            keys[place(t, i)] = k[base * width + t + i * WG];
        }
        workgroupBarrier();
        for (var key = 0u; key < end; key += KEYS) {
            // The next keys, and these values, are on their way during the first product.
            let at = (base + key) * width + t;
            // unroll
            for (var i = 0u; i < D / 32u; i++) {
                next_values[i] = v[at + i * WG];
            }
            // unroll
            for (var i = 0u; i < D / 32u; i++) {
                next_keys[i] = k[at + KEYS * width + i * WG];
            }
            var s = array<MatrixC, 2>();
            // unroll
            for (var i = 0u; i < D / 16u; i++) {
                // unroll
                for (var half = 0u; half < 2u; half++) {
                    let own = coopLoad<MatrixB>(&keys[16u * half * pitch + 4u * i], pitch);
                    s[half] = coopMultiplyAdd(queries[i], own, s[half]);
                }
            }
            if (is_own) {
                // unroll
                for (var half = 0u; half < 2u; half++) {
                    // naga evaluates the arguments of coopStoreT after the call, so they are named before it.
                    let to = own_scores + 4u * half;
                    coopStoreT(s[half], &scores[to], SCORES_PITCH);
                }
            }
            // Every subgroup has read the keys, and the values of the step before.
            workgroupBarrier();
            // unroll
            for (var i = 0u; i < D / 32u; i++) {
                values[place(t, i)] = next_values[i];
                keys[place(t, i)] = next_keys[i];
            }
            var x = array<vec4<f32>, 4>();
            // unroll
            for (var i = 0u; i < 4u; i++) {
                x[i] = scores[row_scores + i];
            }
            if (key + KEYS > whole) {
                let number = key + 4u * own_first + vec4<u32>(0u, 1u, 2u, 3u);
                // unroll
                for (var i = 0u; i < 4u; i++) {
                    x[i] = select(vec4<f32>(LOWEST), x[i], number + 4u * i <= vec4<u32>(limit));
                }
            }
            let most = max(max(x[0], x[1]), max(x[2], x[3]));
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
            // unroll
            for (var i = 0u; i < 4u; i++) {
                x[i] = exp2(fma(x[i], vec4<f32>(scale), shift));
                weights[row_weights + i] = vec4<f16>(x[i]);
            }
            let total = ((x[0] + x[1]) + (x[2] + x[3]));
            sum = sum * factor + ((total.x + total.y) + (total.z + total.w));
            workgroupBarrier();
            if (replaced.x == 1u) {
                // unroll
                for (var i = 0u; i < D / 16u; i += 2u) {
                    if (is_own) {
                        let to = own_scores;
                        let beside = own_scores + 4u;
                        coopStoreT(o[i], &scores[to], SCORES_PITCH);
                        coopStoreT(o[i + 1u], &scores[beside], SCORES_PITCH);
                    }
                    workgroupBarrier();
                    // Every invocation has read it.
                    if (i + t == 0u) {
                        replaced.x = 0u;
                    }
                    // unroll
                    for (var j = 0u; j < 4u; j++) {
                        scores[row_scores + j] *= factor;
                    }
                    workgroupBarrier();
                    o[i] = coopLoadT<MatrixC>(&scores[own_scores], SCORES_PITCH);
                    o[i + 1u] = coopLoadT<MatrixC>(&scores[own_scores + 4u], SCORES_PITCH);
                    workgroupBarrier();
                }
            }
            // unroll
            for (var half = 0u; half < 2u; half++) {
                let p = coopLoadT<MatrixA>(&weights[own_weights + 4u * half], WEIGHTS_PITCH);
                // unroll
                for (var i = 0u; i < D / 16u; i++) {
                    let own = coopLoadT<MatrixB>(&values[16u * half * pitch + 4u * i], pitch);
                    o[i] = coopMultiplyAdd(p, own, o[i]);
                }
            }
        }
        sum += subgroupShuffleXor(sum, 1u);
        let factor = 1.0f / sum;
        let is_stored = position < length && row < subgroups * ROWS && first_part * ROWS + row < QUERIES;
        let to = (base + position) * width + own_first;
        // unroll
        for (var i = 0u; i < D / 16u; i += 2u) {
            workgroupBarrier();
            if (is_own) {
                let place_of_o = own_scores;
                let beside = own_scores + 4u;
                coopStoreT(o[i], &scores[place_of_o], SCORES_PITCH);
                coopStoreT(o[i + 1u], &scores[beside], SCORES_PITCH);
            }
            workgroupBarrier();
            if (is_stored) {
                // unroll
                for (var j = 0u; j < 4u; j++) {
                    output[to + 4u * i + j] = scores[row_scores + j] * factor;
                }
            }
        }
        // Before the next part's keys and scores.
        workgroupBarrier();
    }
}
