// Stable radix sort by digits of 8 bits, one sweep for each (Adinets and Merrill 2022): a workgroup ranks a tile of keys
// by their digit, publishes how many it has of each, looks back over the tiles before, and writes the keys where they
// belong. A tile that stays unpublished is counted by those that need it: neither progress nor an order is assumed.
// Pattern: 16 keys per invocation, counted and published before they are ranked by subgroup ballots, sorted in workgroup
// memory, one half of the tile after the other so that more workgroups are resident, written in runs of one digit.
// Work: n keys read for all digit counts, then n read and n written four times; values likewise without the counts.

alias T = u32;

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
    var a = vec4<u32>(); var b = vec4<u32>(); var c = vec4<u32>(); var d = vec4<u32>();
    let is_whole = (tile + 1u) * 16u * WG <= sizes.n;
    if (is_whole) {
        a = four_inside(first, lanes);
        b = four_inside(first + 4u * lanes, lanes);
        c = four_inside(first + 8u * lanes, lanes);
        d = four_inside(first + 12u * lanes, lanes);
    } else {
        a = four(first, lanes, sizes.n);
        b = four(first + 4u * lanes, lanes, sizes.n);
        c = four(first + 8u * lanes, lanes, sizes.n);
        d = four(first + 12u * lanes, lanes, sizes.n);
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
    count_early(a, row);
    count_early(b, row);
    count_early(c, row);
    count_early(d, row);
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
    var to_a = vec4<u32>(); var to_b = vec4<u32>(); var to_c = vec4<u32>(); var to_d = vec4<u32>();
    for (var turn = 0u; turn < turns; turn++) {
        if (subgroup % turns == turn) {
            to_a = ranks(a, row, lane, lanes);
            to_b = ranks(b, row, lane, lanes);
            to_c = ranks(c, row, lane, lanes);
            to_d = ranks(d, row, lane, lanes);
        }
        workgroupBarrier();
    }
    keep(to_a, a, 0u);
    keep(to_b, b, 0u);
    keep(to_c, c, 0u);
    keep(to_d, d, 0u);
    look_back(tile, sweep, t);
    let keys = min(16u * WG, sizes.n - tile * 16u * WG);
    let middle = 8u * WG;
    let moved_a = moved(t, keys, 0u);
    let moved_b = moved(t + 4u * WG, keys, 0u);
    workgroupBarrier();
    keep(to_a, a, middle);
    keep(to_b, b, middle);
    keep(to_c, c, middle);
    keep(to_d, d, middle);
    workgroupBarrier();
    let moved_c = moved(t + 8u * WG, keys, middle);
    let moved_d = moved(t + 12u * WG, keys, middle);
    if (PAIRS == 1u) {
        let values = first + sizes.n;
        let value_a = four(values, lanes, 2u * sizes.n);
        let value_b = four(values + 4u * lanes, lanes, 2u * sizes.n);
        let value_c = four(values + 8u * lanes, lanes, 2u * sizes.n);
        let value_d = four(values + 12u * lanes, lanes, 2u * sizes.n);
        workgroupBarrier();
        keep(to_a, value_a, 0u);
        keep(to_b, value_b, 0u);
        keep(to_c, value_c, 0u);
        keep(to_d, value_d, 0u);
        workgroupBarrier();
        put_values(moved_a, t, keys, 0u);
        put_values(moved_b, t + 4u * WG, keys, 0u);
        workgroupBarrier();
        keep(to_a, value_a, middle);
        keep(to_b, value_b, middle);
        keep(to_c, value_c, middle);
        keep(to_d, value_d, middle);
        workgroupBarrier();
        put_values(moved_c, t + 8u * WG, keys, middle);
        put_values(moved_d, t + 12u * WG, keys, middle);
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
            let a = four_inside(first, WG);
            let b = four_inside(first + 4u * WG, WG);
            let c = four_inside(first + 8u * WG, WG);
            let d = four_inside(first + 12u * WG, WG);
            count_four(a);
            count_four(b);
            count_four(c);
            count_four(d);
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

fn count_four(keys: vec4<u32>) {
    count(keys.x);
    count(keys.y);
    count(keys.z);
    count(keys.w);
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

/// Four elements, a subgroup apart. From `end` on they are the largest key, which comes last in its tile.
fn four(i: u32, lanes: u32, end: u32) -> vec4<u32> {
    return vec4<u32>(one(i, end), one(i + lanes, end), one(i + 2u * lanes, end), one(i + 3u * lanes, end));
}

fn one(i: u32, end: u32) -> u32 {
    if (i < end) {
        return source[i];
    }
    return 0xffffffffu;
}

/// Four keys that are inside.
fn four_inside(i: u32, apart: u32) -> vec4<u32> {
    return vec4<u32>(source[i], source[i + apart], source[i + 2u * apart], source[i + 3u * apart]);
}

fn count_early(keys: vec4<u32>, row: u32) {
    atomicAdd(&words[row + digit_of(keys.x)], 1u);
    atomicAdd(&words[row + digit_of(keys.y)], 1u);
    atomicAdd(&words[row + digit_of(keys.z)], 1u);
    atomicAdd(&words[row + digit_of(keys.w)], 1u);
}

/// Positions of four keys in the sorted tile. A key's atomic is on its way while the next key's equals are found.
fn ranks(keys: vec4<u32>, row: u32, lane: u32, lanes: u32) -> vec4<u32> {
    if (lanes > 32u) {
        // One after the other: the order of evaluation of arguments must not matter.
        let x = rank(keys.x, row, lane);
        let y = rank(keys.y, row, lane);
        let z = rank(keys.z, row, lane);
        let w = rank(keys.w, row, lane);
        return vec4<u32>(x, y, z, w);
    }
    let x = peers(keys.x, lanes);
    let from_x = claimed(x, row + digit_of(keys.x), lane);
    let y = peers(keys.y, lanes);
    let to_x = position_from(from_x, x, lane);
    let from_y = claimed(y, row + digit_of(keys.y), lane);
    let z = peers(keys.z, lanes);
    let to_y = position_from(from_y, y, lane);
    let from_z = claimed(z, row + digit_of(keys.z), lane);
    let w = peers(keys.w, lanes);
    let to_z = position_from(from_z, z, lane);
    let from_w = claimed(w, row + digit_of(keys.w), lane);
    return vec4<u32>(to_x, to_y, to_z, position_from(from_w, w, lane));
}

/// The lanes with the same digit, bit by bit.
fn peers(key: u32, lanes: u32) -> u32 {
    let digit = digit_of(key);
    var same = 0xffffffffu >> (32u - lanes);
    same &= agreeing((digit & 1u) != 0u);
    same &= agreeing((digit & 2u) != 0u);
    same &= agreeing((digit & 4u) != 0u);
    same &= agreeing((digit & 8u) != 0u);
    same &= agreeing((digit & 16u) != 0u);
    same &= agreeing((digit & 32u) != 0u);
    same &= agreeing((digit & 64u) != 0u);
    same &= agreeing((digit & 128u) != 0u);
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

/// Stores those of four elements whose positions are in the half of the sorted tile that starts at `begin`.
fn keep(to: vec4<u32>, x: vec4<u32>, begin: u32) {
    let at = to - begin;
    if (at.x < 8u * WG) { atomicStore(&words[at.x], x.x); }
    if (at.y < 8u * WG) { atomicStore(&words[at.y], x.y); }
    if (at.z < 8u * WG) { atomicStore(&words[at.z], x.z); }
    if (at.w < 8u * WG) { atomicStore(&words[at.w], x.w); }
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

/// Moves four keys of the half that starts at `begin`, and returns where to.
fn moved(slot: u32, keys: u32, begin: u32) -> vec4<u32> {
    return vec4<u32>(
        moved_one(slot, keys, begin), moved_one(slot + WG, keys, begin), moved_one(slot + 2u * WG, keys, begin),
        moved_one(slot + 3u * WG, keys, begin));
}

fn moved_one(slot: u32, keys: u32, begin: u32) -> u32 {
    let key = atomicLoad(&words[slot - begin]);
    let to = offsets[digit_of(key)] + slot;
    if (slot < keys) {
        result[to] = key;
    }
    return to;
}

/// Moves the values of four keys.
fn put_values(to: vec4<u32>, slot: u32, keys: u32, begin: u32) {
    let at = slot - begin;
    if (slot < keys) { result[sizes.n + to.x] = atomicLoad(&words[at]); }
    if (slot + WG < keys) { result[sizes.n + to.y] = atomicLoad(&words[at + WG]); }
    if (slot + 2u * WG < keys) { result[sizes.n + to.z] = atomicLoad(&words[at + 2u * WG]); }
    if (slot + 3u * WG < keys) { result[sizes.n + to.w] = atomicLoad(&words[at + 3u * WG]); }
}
