// Stable radix sort by 8-bit digits in one sweep per digit (Adinets and Merrill 2022). A workgroup counts the digits of
// a tile of keys, publishes the counts, ranks the keys, adds up the counts of earlier tiles (look-back), and writes the
// keys. If a tile's counts stay unpublished, the workgroups that need them compute them: the kernel relies on neither
// forward progress nor launch order.
// Pattern: 16 keys per invocation, ranked by subgroup ballots, sorted in workgroup memory and written in runs of equal
// digits.
// Work: n keys read once for all digit counts, then n read and n written in each of four passes; values are moved only
// in the passes.
// Summary: one kernel per pass: ranks by subgroup ballots, decoupled look-back over the digit counts
// Look for: The gain over `three_kernels` with BITS=8: each pass is one kernel that reads keys once and ranks them in
// registers. A larger WG writes longer runs of each digit, but fewer workgroups fit on an SM.
// Limits: Instructions (about 40 to rank a key) and the round trips of the look-back. With low bandwidth, also DRAM.

alias T = u32;
/// The keys of an invocation, or their values, or where they go.
alias Keys = array<u32, 16>;

struct Sizes { n: u32, tiles: u32, shift: u32, is_counting: u32 }

/// n keys, then n values if there are values.
@group(0) @binding(0) var<storage, read> source: array<T>;
@group(0) @binding(1) var<storage, read_write> result: array<T>;
/// Zero before a launch: for each pass how many keys have each digit, then what each tile publishes for each digit.
@group(0) @binding(2) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
/// 1: every key has a value that moves with it.
override PAIRS: u32 = 0u;
/// Reads of unpublished counts before the fallback.
override LOOKS: u32 = 256u;

const DIGITS = 256u;
const PASSES = 4u;
/// Where tiles start in `state`.
const TILES = PASSES * DIGITS;
/// The status of a published count, in its upper two bits: nothing published, keys of this tile, or keys of this digit
/// and all smaller ones in all tiles up to this one.
const AGGREGATE = 1u << 30u;
const INCLUSIVE = 2u << 30u;
const COUNT = AGGREGATE - 1u;

/// Digit counters, of all passes, or one row for each 32 invocations; then one half of the sorted tile.
var<workgroup> words: array<atomic<u32>, max(8u * WG, PASSES * DIGITS)>;
/// Keys of the tile with smaller digits.
var<workgroup> starts: array<u32, DIGITS>;
/// Keys of each digit before the tile; at the end, what is added to a position in the tile to give that in the result.
var<workgroup> offsets: array<u32, DIGITS>;
/// For each digit, the tile where the look-back stands.
var<workgroup> ends: array<u32, DIGITS>;
/// Sums of the subgroups' parts of the digits; in the fallback, keys of each digit of another tile.
var<workgroup> late: array<atomic<u32>, DIGITS>;
var<workgroup> latest: atomic<u32>;
var<workgroup> stuck: u32;

@compute @workgroup_size(WG)
fn main(
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) full: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    // WGSL does not say which invocations form a subgroup, so keys follow lanes and not `local_invocation_index`.
    let lanes = min(full, WG);
    let t = subgroup * lanes + lane;
    if (sizes.is_counting == 1u) {
        count_all(group.y * groups.x + group.x, t);
        return;
    }
    let sweep = sizes.shift / 8u;
    let tile = group.y * groups.x + group.x;
    if (tile >= sizes.tiles) {
        return;
    }
    // Subgroups that share a row of digit counters.
    let turns = max(1u, 32u / lanes);
    if (t == 0u) {
        atomicStore(&latest, 0u);
    }
    for (var k = 0u; k < 8u; k++) {
        atomicStore(&words[k * WG + t], 0u);
    }
    workgroupBarrier();
    // Each subgroup has neighbouring keys, its lanes one after the other.
    let first = tile * 16u * WG + subgroup * 16u * lanes + lane;
    var keys = Keys();
    if ((tile + 1u) * 16u * WG <= sizes.n) {
        // unroll
        for (var e = 0u; e < 16u; e++) {
            keys[e] = source[first + e * lanes];
        }
    } else {
        // unroll
        for (var e = 0u; e < 16u; e++) {
            keys[e] = one(first + e * lanes, sizes.n);
        }
    }
    if (tile == 0u) {
        for (var d = t; d < DIGITS; d += WG) {
            starts[d] = atomicLoad(&state[sweep * DIGITS + d]);
        }
        sum_up(t, lane, lanes);
        for (var d = t; d < DIGITS; d += WG) {
            offsets[d] = starts[d];
        }
        workgroupBarrier();
    }
    // Keys are counted before they are ranked: later tiles need the counts only. Subgroups of less than 32 lanes share a
    // row of counters.
    let row = subgroup * lanes / 32u * DIGITS;
    // unroll
    for (var e = 0u; e < 16u; e++) {
        atomicAdd(&words[row + digit_of(keys[e])], 1u);
    }
    workgroupBarrier();
    let at = TILES + (sweep * sizes.tiles + tile) * DIGITS;
    for (var d = t; d < DIGITS; d += WG) {
        var sum = 0u;
        for (var r = 0u; r < WG / 32u; r++) {
            let own = atomicLoad(&words[r * DIGITS + d]);
            atomicStore(&words[r * DIGITS + d], sum);
            sum += own;
        }
        starts[d] = sum;
        if (tile == 0u) {
            atomicStore(&state[at + d], INCLUSIVE | (offsets[d] + sum));
        } else {
            atomicStore(&state[at + d], AGGREGATE | sum);
            offsets[d] = 0u;
        }
        ends[d] = tile;
    }
    sum_up(t, lane, lanes);
    // Rows of counters become the position of the row's next key of each digit in the sorted tile.
    for (var d = t; d < DIGITS; d += WG) {
        let begin = starts[d];
        for (var r = 0u; r < WG / 32u; r++) {
            atomicStore(&words[r * DIGITS + d], begin + atomicLoad(&words[r * DIGITS + d]));
        }
    }
    workgroupBarrier();
    // Subgroups that share a row take turns, in the order of their keys.
    var to = Keys();
    for (var turn = 0u; turn < turns; turn++) {
        if (subgroup % turns == turn) {
            ranks(&keys, &to, row, lane, lanes);
        }
        workgroupBarrier();
    }
    let end = min(16u * WG, sizes.n - tile * 16u * WG);
    var moved = Keys();
    // unroll
    for (var half = 0u; half < 2u; half++) {
        if (half == 0u) {
            keep(&to, &keys, 0u);
            look_back(tile, sweep, t);
        } else {
            workgroupBarrier();
            keep(&to, &keys, 8u * WG);
            workgroupBarrier();
        }
        // unroll
        for (var e = 8u * half; e < 8u * half + 8u; e++) {
            let key = atomicLoad(&words[t + (e - 8u * half) * WG]);
            moved[e] = offsets[digit_of(key)] + t + e * WG;
            if (t + e * WG < end) {
                result[moved[e]] = key;
            }
        }
    }
    if (PAIRS == 1u) {
        // unroll
        for (var e = 0u; e < 16u; e++) {
            keys[e] = one(sizes.n + first + e * lanes, 2u * sizes.n);
        }
        // unroll
        for (var half = 0u; half < 2u; half++) {
            workgroupBarrier();
            keep(&to, &keys, 8u * half * WG);
            workgroupBarrier();
            // unroll
            for (var e = 8u * half; e < 8u * half + 8u; e++) {
                if (t + e * WG < end) {
                    result[sizes.n + moved[e]] = atomicLoad(&words[t + (e - 8u * half) * WG]);
                }
            }
        }
    }
}

/// Counts the digits of all passes in four tiles.
fn count_all(group: u32, t: u32) {
    for (var k = t; k < PASSES * DIGITS; k += WG) {
        atomicStore(&words[k], 0u);
    }
    workgroupBarrier();
    for (var part = 0u; part < 4u; part++) {
        let begin = (4u * group + part) * 16u * WG;
        if (begin + 16u * WG <= sizes.n) {
            let first = begin + t;
            var keys = Keys();
            // unroll
            for (var e = 0u; e < 16u; e++) {
                keys[e] = source[first + e * WG];
            }
            // unroll
            for (var e = 0u; e < 16u; e++) {
                count(keys[e]);
            }
        } else {
            for (var i = begin + t; i < sizes.n; i += WG) {
                count(source[i]);
            }
        }
    }
    workgroupBarrier();
    for (var k = t; k < PASSES * DIGITS; k += WG) {
        let sum = atomicLoad(&words[k]);
        if (sum > 0u) {
            atomicAdd(&state[k], sum);
        }
    }
}

fn count(key: u32) {
    atomicAdd(&words[key & 255u], 1u);
    atomicAdd(&words[DIGITS + ((key >> 8u) & 255u)], 1u);
    atomicAdd(&words[2u * DIGITS + ((key >> 16u) & 255u)], 1u);
    atomicAdd(&words[3u * DIGITS + (key >> 24u)], 1u);
}

fn digit_of(key: u32) -> u32 {
    return (key >> sizes.shift) & 255u;
}

/// An element; from `end` on the largest key, which comes last in its tile.
fn one(i: u32, end: u32) -> u32 {
    if (i < end) {
        return source[i];
    }
    return 0xffffffffu;
}

/// Positions of keys in the sorted tile. A key's atomic is on its way while the next key's equals are found, in
/// groups of four: more need registers.
fn ranks(keys: ptr<function, Keys>, to: ptr<function, Keys>, row: u32, lane: u32, lanes: u32) {
    if (lanes > 32u) {
        // unroll
        for (var e = 0u; e < 16u; e++) {
            (*to)[e] = rank((*keys)[e], row, lane);
        }
        return;
    }
    var same = 0u;
    var begin = 0u;
    // unroll
    for (var e = 0u; e < 16u; e++) {
        let next = peers((*keys)[e], lanes);
        if (e % 4u > 0u) {
            (*to)[max(e, 1u) - 1u] = position_from(begin, same, lane);
        }
        begin = claimed(next, row + digit_of((*keys)[e]), lane);
        same = next;
        if (e % 4u == 3u) {
            (*to)[e] = position_from(begin, same, lane);
        }
    }
}

/// The lanes with the same digit, bit by bit.
fn peers(key: u32, lanes: u32) -> u32 {
    let digit = digit_of(key);
    var same = 0xffffffffu >> (32u - lanes);
    // unroll
    for (var bit = 0u; bit < 8u; bit++) {
        same &= agreeing((digit & (1u << bit)) != 0u);
    }
    return same;
}

fn agreeing(own: bool) -> u32 {
    let ones = subgroupBallot(own).x;
    return select(~ones, ones, own);
}

/// The last of the lanes claims positions for all of them.
fn claimed(same: u32, at: u32, lane: u32) -> u32 {
    var begin = 0u;
    if (same >> lane == 1u) {
        begin = atomicAdd(&words[at], countOneBits(same));
    }
    return begin;
}

/// The position of a lane's key: the last lane's claim, and the lanes before with the same digit.
fn position_from(begin: u32, same: u32, lane: u32) -> u32 {
    return subgroupShuffle(begin, firstLeadingBit(same)) + countOneBits(same & ((1u << lane) - 1u));
}

/// The position of a key, in subgroups of more than 32 lanes.
fn rank(key: u32, row: u32, lane: u32) -> u32 {
    let digit = digit_of(key);
    var same = subgroupBallot(true);
    for (var bit = 0u; bit < 8u; bit++) {
        let own = (digit >> bit) & 1u;
        same &= subgroupBallot(own == 1u) ^ vec4<u32>(own - 1u);
    }
    let bits = countOneBits(same);
    let word = lane / 32u;
    var others = countOneBits(same[word] & ((1u << (lane % 32u)) - 1u));
    others += select(0u, bits.x, word > 0u) + select(0u, bits.y, word > 1u) + select(0u, bits.z, word > 2u);
    let first = select(select(select(3u, 2u, bits.z > 0u), 1u, bits.y > 0u), 0u, bits.x > 0u);
    let leader = 32u * first + firstTrailingBit(same[first]);
    var begin = 0u;
    if (lane == leader) {
        begin = atomicAdd(&words[row + digit], bits.x + bits.y + bits.z + bits.w);
    }
    return subgroupShuffle(begin, leader) + others;
}

/// Turns the 256 values in `starts` into the sum of all before each; each invocation may then read those it wrote.
fn sum_up(t: u32, lane: u32, lanes: u32) {
    for (var begin = 0u; begin < DIGITS; begin += WG) {
        let d = begin + t;
        var own = 0u;
        if (d < DIGITS) {
            own = starts[d];
        }
        let upto = subgroupInclusiveAdd(own);
        if (d < DIGITS) {
            starts[d] = upto - own;
            if (lane == lanes - 1u) {
                atomicStore(&late[d / lanes], upto);
            }
        }
    }
    workgroupBarrier();
    for (var d = t; d < DIGITS; d += WG) {
        var sum = starts[d];
        for (var part = 0u; part < d / lanes; part++) {
            sum += atomicLoad(&late[part]);
        }
        starts[d] = sum;
    }
}

/// Keys of digit d in the tile.
fn own_keys(d: u32) -> u32 {
    if (d + 1u < DIGITS) {
        return starts[d + 1u] - starts[d];
    }
    return 16u * WG - starts[d];
}

/// Stores those elements whose positions are in the half of the sorted tile that starts at `begin`.
fn keep(to: ptr<function, Keys>, x: ptr<function, Keys>, begin: u32) {
    // unroll
    for (var e = 0u; e < 16u; e++) {
        let at = (*to)[e] - begin;
        if (at < 8u * WG) {
            atomicStore(&words[at], (*x)[e]);
        }
    }
}

/// Finds how many keys of each digit come before the tile, and publishes how many there are up to its end. Each round
/// ends at a tile that stays unpublished, whose keys the workgroup then counts: every loop is bounded.
fn look_back(tile: u32, sweep: u32, t: u32) {
    let tiles = TILES + sweep * sizes.tiles * DIGITS;
    var is_done = false;
    while (!is_done) {
        for (var d = t; d < DIGITS; d += WG) {
            var end = ends[d];
            var sum = offsets[d];
            var looks = 0u;
            while (end > 0u && looks <= LOOKS) {
                // Four tiles at a time; before tile 0 none is read, since its count is inclusive.
                let x = atomicLoad(&state[tiles + (end - 1u) * DIGITS + d]);
                let y = atomicLoad(&state[tiles + (max(end, 2u) - 2u) * DIGITS + d]);
                let z = atomicLoad(&state[tiles + (max(end, 3u) - 3u) * DIGITS + d]);
                let w = atomicLoad(&state[tiles + (max(end, 4u) - 4u) * DIGITS + d]);
                let was = end;
                end = stepped(end, x);
                sum += select(0u, x & COUNT, end < was);
                if (end + 1u == was && end > 0u) {
                    end = stepped(end, y);
                    sum += select(0u, y & COUNT, end + 1u < was);
                    if (end + 2u == was && end > 0u) {
                        end = stepped(end, z);
                        sum += select(0u, z & COUNT, end + 2u < was);
                        if (end + 3u == was && end > 0u) {
                            end = stepped(end, w);
                            sum += select(0u, w & COUNT, end + 3u < was);
                        }
                    }
                }
                looks = select(0u, looks + 1u, end == was);
            }
            if (ends[d] > 0u || tile == 0u) {
                let own = own_keys(d);
                if (end == 0u && tile > 0u) {
                    atomicStore(&state[tiles + tile * DIGITS + d], INCLUSIVE | (sum + own));
                }
                // Of tile 0 all is known.
                let is_found = end == 0u || tile == 0u;
                offsets[d] = select(sum, sum - starts[d], is_found);
                ends[d] = end;
                if (!is_found) {
                    atomicMax(&latest, end);
                }
            }
        }
        workgroupBarrier();
        if (t == 0u) {
            stuck = atomicExchange(&latest, 0u);
        }
        let end = workgroupUniformLoad(&stuck);
        is_done = end == 0u;
        if (!is_done) {
            count_for(end - 1u, sweep, tiles, t);
        }
    }
}

/// Where a look-back stands after it read what tile `end` - 1 published.
fn stepped(end: u32, word: u32) -> u32 {
    return select(select(end - 1u, 0u, word >= INCLUSIVE), end, word < AGGREGATE);
}

/// Counts the digits of another tile, and publishes the counts. What the tile published meanwhile stays: its counts are
/// the same, and inclusive ones are larger words. Those of the first tile start with the smaller digits of all tiles.
fn count_for(tile: u32, sweep: u32, tiles: u32, t: u32) {
    for (var d = t; d < DIGITS; d += WG) {
        atomicStore(&late[d], 0u);
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
        atomicAdd(&late[digit_of(source[(tile * 16u + k) * WG + t])], 1u);
    }
    workgroupBarrier();
    for (var d = t; d < DIGITS; d += WG) {
        var word = AGGREGATE | atomicLoad(&late[d]);
        if (tile == 0u) {
            word += INCLUSIVE - AGGREGATE;
            for (var smaller = 0u; smaller < d; smaller++) {
                word += atomicLoad(&state[sweep * DIGITS + smaller]);
            }
        }
        atomicMax(&state[tiles + tile * DIGITS + d], word);
    }
}
