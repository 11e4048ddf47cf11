// Stable radix sort in passes over digits of BITS bits, with three kernels per pass.
// Pattern: tiles of 8 keys per invocation, sorted in workgroup memory, 4 bits at a time (a scan of 16 counters per
// invocation), then written in runs of equal digits.
// Work: each pass reads the keys twice and writes them once; values are read and written once. The rate counts the
// bytes that `onesweep` moves.
// Summary: each pass counts digits, scans the counts and moves the keys; digits of 4 or 8 bits
// Look for: The speedup of BITS=8 over BITS=4: half as many passes, each with twice the sorting work. Near 2×, memory
// traffic is the limit; near 1×, sorting is. PAIRS=1 adds only memory traffic.
// Limits: Barriers and workgroup memory: each tile takes at least 16 barriers per 4 bits. Also memory traffic, since
// each pass reads the keys twice.

alias T = u32;

struct Sizes { n: u32, groups: u32, tiles_each: u32, shift: u32, kernel: u32 }

/// n keys, then n values if there are values.
@group(0) @binding(0) var<storage, read> source: array<T>;
@group(0) @binding(1) var<storage, read_write> result: array<T>;
/// For each digit the counts of all workgroups; then the sum of each digit.
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
/// Bits of a digit: 4 or 8.
override BITS: u32 = 8u;
/// 1: every key has a value that moves with it.
override PAIRS: u32 = 0u;

const COUNT = 0u;
const SCAN = 1u;

/// Counts of each digit; when keys move, what is added to a position in the tile to give that in the result.
var<workgroup> digits: array<atomic<u32>, 256>;
/// Where each digit starts in the sorted tile.
var<workgroup> starts: array<u32, 256>;
/// The digit of each key in the upper half, and its position in the unsorted tile in the lower half.
var<workgroup> tile: array<u32, 8u * WG>;
/// Counts of digit d and of digit d + 8 in the halves of a word, for each d below 8 and each invocation.
var<workgroup> counters: array<u32, 8u * WG>;
var<workgroup> sums: array<u32, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) id: vec3<u32>) {
    let group = id.x;
    let first = group * sizes.tiles_each * 8u * WG;
    let end = min(first + sizes.tiles_each * 8u * WG, sizes.n);
    if (sizes.kernel == COUNT) {
        for (var d = t; d < 1u << BITS; d += WG) {
            atomicStore(&digits[d], 0u);
        }
        workgroupBarrier();
        for (var i = first + t; i < end; i += WG) {
            atomicAdd(&digits[digit_of(source[i])], 1u);
        }
        workgroupBarrier();
        for (var d = t; d < 1u << BITS; d += WG) {
            counts[d * sizes.groups + group] = atomicLoad(&digits[d]);
        }
    } else if (sizes.kernel == SCAN) {
        // This workgroup has the digit of its number, each invocation neighbouring counts.
        let each = (sizes.groups + WG - 1u) / WG;
        let begin = group * sizes.groups + min(t * each, sizes.groups);
        let upto = group * sizes.groups + min((t + 1u) * each, sizes.groups);
        var sum = 0u;
        for (var k = begin; k < upto; k++) {
            sum += counts[k];
        }
        var before = sum_before(sum, t);
        for (var k = begin; k < upto; k++) {
            let own = counts[k];
            counts[k] = before;
            before += own;
        }
        if (t == WG - 1u) {
            counts[(sizes.groups << BITS) + group] = before;
        }
    } else {
        start_digits(group, t);
        for (var corner = first; corner < end; corner += 8u * WG) {
            move_tile(corner, min(end - corner, 8u * WG), t);
        }
    }
}

fn digit_of(key: u32) -> u32 {
    return (key >> sizes.shift) & ((1u << BITS) - 1u);
}

/// The sum of the values of all invocations before this one.
fn sum_before(own: u32, t: u32) -> u32 {
    var sum = own;
    for (var s = 1u; s < WG; s *= 2u) {
        sums[t] = sum;
        workgroupBarrier();
        if (t >= s) {
            sum += sums[t - s];
        }
        workgroupBarrier();
    }
    return sum - own;
}

/// Where the first key of each digit goes that this workgroup has.
fn start_digits(group: u32, t: u32) {
    let each = max((1u << BITS) / WG, 1u);
    let begin = min(t * each, 1u << BITS);
    let upto = min(begin + each, 1u << BITS);
    let totals = sizes.groups << BITS;
    var sum = 0u;
    for (var d = begin; d < upto; d++) {
        sum += counts[totals + d];
    }
    var before = sum_before(sum, t);
    for (var d = begin; d < upto; d++) {
        atomicStore(&digits[d], before + counts[d * sizes.groups + group]);
        before += counts[totals + d];
    }
    workgroupBarrier();
}

/// Moves the keys of a tile, which `digits` has the destinations of, and updates these.
fn move_tile(corner: u32, keys: u32, t: u32) {
    for (var k = t; k < 8u * WG; k += WG) {
        // Positions without a key have the largest digit, and come last.
        var digit = (1u << BITS) - 1u;
        if (k < keys) {
            digit = digit_of(source[corner + k]);
        }
        tile[k] = (digit << 16u) | k;
    }
    workgroupBarrier();
    for (var bit = 16u; bit < 16u + BITS; bit += 4u) {
        sort_tile(bit, t);
    }
    for (var k = t; k < keys; k += WG) {
        let digit = tile[k] >> 16u;
        if (k == 0u || digit != tile[max(k, 1u) - 1u] >> 16u) {
            starts[digit] = k;
        }
    }
    workgroupBarrier();
    for (var k = t; k < keys; k += WG) {
        let digit = tile[k] >> 16u;
        let begin = corner + (tile[k] & 0xffffu);
        let to = atomicLoad(&digits[digit]) + k - starts[digit];
        result[to] = source[begin];
        if (PAIRS == 1u) {
            result[sizes.n + to] = source[sizes.n + begin];
        }
    }
    workgroupBarrier();
    for (var k = t; k < keys; k += WG) {
        let digit = tile[k] >> 16u;
        if (k + 1u == keys || digit != tile[min(k + 1u, 8u * WG - 1u)] >> 16u) {
            atomicAdd(&digits[digit], k + 1u - starts[digit]);
        }
    }
    workgroupBarrier();
}

/// Sorts the tile by four bits. Each invocation has eight neighbouring words.
fn sort_tile(bit: u32, t: u32) {
    for (var w = 0u; w < 8u; w++) {
        counters[w * WG + t] = 0u;
    }
    var ranks = array<u32, 4>();
    for (var k = 0u; k < 8u; k++) {
        let digit = (tile[8u * t + k] >> bit) & 15u;
        let at = (digit & 7u) * WG + t;
        let counted = counters[at];
        let half = 16u * (digit >> 3u);
        counters[at] = counted + (1u << half);
        // Below eight: two to a word.
        ranks[k / 2u] |= ((counted >> half) & 0xffffu) << (16u * (k & 1u));
    }
    workgroupBarrier();
    // In the order of digits, and of invocations for one digit: eight neighbouring counters to an invocation.
    var sum = 0u;
    for (var k = 8u * t; k < 8u * t + 8u; k++) {
        sum += counters[k];
    }
    var before = sum_before(sum, t);
    if (t == WG - 1u) {
        sums[0] = before + sum;
    }
    workgroupBarrier();
    // Digits of the upper halves come after all those of the lower halves.
    before += sums[0] << 16u;
    for (var k = 8u * t; k < 8u * t + 8u; k++) {
        let own = counters[k];
        counters[k] = before;
        before += own;
    }
    workgroupBarrier();
    var words = array<u32, 8>();
    for (var k = 0u; k < 8u; k++) {
        words[k] = tile[8u * t + k];
    }
    workgroupBarrier();
    for (var k = 0u; k < 8u; k++) {
        let digit = (words[k] >> bit) & 15u;
        let rank = (ranks[k / 2u] >> (16u * (k & 1u))) & 0xffffu;
        let before_digit = (counters[(digit & 7u) * WG + t] >> (16u * (digit >> 3u))) & 0xffffu;
        tile[before_digit + rank] = words[k];
    }
    workgroupBarrier();
}
