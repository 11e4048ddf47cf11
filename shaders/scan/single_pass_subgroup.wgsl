// Inclusive scan in one pass like `single_pass`, but subgroups scan in registers. The first subgroup looks back while
// the others wait at one barrier.
// Pattern: 32 elements per invocation in 16-byte accesses. Only half of a tile stays in registers during the look-back,
// so that more tiles fit on the device. The other half is read again from a cache. From tile 400 on, a pause of PAUSE
// loop iterations precedes the look-back.
// Work: n scalars read and n written.
// Summary: single_pass with subgroup scans in registers; only the first subgroup looks back
// Look for: The gain over `single_pass`, which is the cost of that kernel's barriers and workgroup memory. Compare
// WG=512: larger tiles need less look-back. Compare `--param PAUSE=0`: without a pause, the first look-back finds few
// complete sums.
// Limits: The latency of published sums, and the number of tiles in flight: each waits for earlier tiles between its
// loads and its stores.

alias T = f32;

struct Sizes { n: u32, tiles: u32 }

/// The result of the first subgroup's look-back: the sum of the tiles from `end` to the last one before its own.
struct Found { sum: T, end: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<T>>;
/// Zero before a launch. Words 2k + 2 and 2k + 3 hold what tile k publishes, as in `single_pass`.
@group(0) @binding(2) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
/// Reads of an unpublished tile before the fallback. A running tile publishes within tens of reads; a longer wait is
/// for a tile that does not run.
override LOOKS: u32 = 256u;
/// Rounds of about ten cycles before the first read. Meanwhile earlier tiles publish inclusive sums, so that fewer
/// windows are read.
override PAUSE: u32 = 300u;
/// Tiles below this number look back without a pause: most of them run at the same time, so that no predecessor ends
/// sooner.
const FIRST = 400u;

/// Status of a tile: nothing published, its own sum as another workgroup added it up, its own sum, or the sum of all
/// elements up to its end. A higher status replaces a lower one.
const SILENT = 0u;
const ADDED = 1u;
const AGGREGATE = 2u;
const INCLUSIVE = 3u;

var<workgroup> found: Found;
/// The sums of each subgroup's part of four of the eight rows; a subgroup has at least four lanes.
var<workgroup> parts: array<vec4<T>, (WG + 3u) / 4u>;
var<workgroup> parts_again: array<vec4<T>, (WG + 3u) / 4u>;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) full: u32,
) {
    // WGSL does not say which invocations form a subgroup, so elements follow lanes and not `local_invocation_index`.
    // All subgroups are full, except that the last one has the rest of the workgroup; llvmpipe's `num_subgroups` leaves
    // that one out.
    let lanes = min(full, WG);
    let t = subgroup * lanes + lane;
    // Where workgroups start in another order, a tile may wait for one that has not started, and sums it up.
    let tile = group.y * groups.x + group.x;
    if (tile >= sizes.tiles) {
        return;
    }
    // Eight rows of 4 WG elements, each scanned separately. The first four are read again.
    let i = tile * 8u * WG + t;
    let j = i + 4u * WG;
    let is_whole = (tile + 1u) * 32u * WG <= sizes.n;
    var again = vec4<T>();
    var a = vec4<T>(); var b = vec4<T>(); var c = vec4<T>(); var d = vec4<T>();
    if (is_whole) {
        again = vec4<T>(
            row_sum(input[i]), row_sum(input[i + WG]), row_sum(input[i + 2u * WG]), row_sum(input[i + 3u * WG]),
        );
        a = input[j];
        b = input[j + WG];
        c = input[j + 2u * WG];
        d = input[j + 3u * WG];
    } else {
        again = vec4<T>(
            row_sum(four(i)), row_sum(four(i + WG)), row_sum(four(i + 2u * WG)), row_sum(four(i + 3u * WG)),
        );
        a = four(j);
        b = four(j + WG);
        c = four(j + 2u * WG);
        d = four(j + 3u * WG);
    }
    a = scanned(a);
    b = scanned(b);
    c = scanned(c);
    d = scanned(d);
    let own = vec4<T>(a.w, b.w, c.w, d.w);
    let upto = subgroupInclusiveAdd(own);
    let again_upto = subgroupInclusiveAdd(again);
    if (lane == lanes - 1u || t == WG - 1u) {
        parts[subgroup] = upto;
        parts_again[subgroup] = again_upto;
    }
    workgroupBarrier();
    var all = vec4<T>();
    var starts = upto - own;
    var again_all = vec4<T>();
    var again_starts = again_upto - again;
    for (var s = 0u; s * lanes < WG; s++) {
        let is_before = s < subgroup;
        all += parts[s];
        starts += select(vec4<T>(), parts[s], is_before);
        again_all += parts_again[s];
        again_starts += select(vec4<T>(), parts_again[s], is_before);
    }
    again_starts += vec4<T>(T(), again_all.x, again_all.x + again_all.y, again_all.x + again_all.y + again_all.z);
    let half = (again_all.x + again_all.y) + (again_all.z + again_all.w);
    starts += half + vec4<T>(T(), all.x, all.x + all.y, all.x + all.y + all.z);
    let aggregate = half + ((all.x + all.y) + (all.z + all.w));
    if (t == 0u) {
        say(tile, select(AGGREGATE, INCLUSIVE, tile == 0u), aggregate);
    }
    // The sum of tiles end to tile - 1; each iteration adds at least one tile.
    var before = T();
    var end = tile;
    var patience = LOOKS;
    while (end > 0u) {
        if (subgroup == 0u) {
            let seen = looked_back(end, lane, lanes, patience);
            if (lane == 0u) {
                found = seen;
            }
        }
        let seen = workgroupUniformLoad(&found);
        before += seen.sum;
        end = seen.end;
        if (end > 0u) {
            // Where one tile has not started, those before it often have not either: one read is enough.
            patience = min(LOOKS, 1u);
            end--;
            let sum = added_up(end, t, subgroup, lane, lanes);
            if (t == 0u) {
                say_for(end, sum);
            }
            before += sum;
        }
    }
    if (t == 0u && tile > 0u) {
        say(tile, INCLUSIVE, before + aggregate);
    }
    again_starts += before;
    starts += before;
    if (is_whole) {
        output[i] = scanned(input[i]) + again_starts.x;
        output[i + WG] = scanned(input[i + WG]) + again_starts.y;
        output[i + 2u * WG] = scanned(input[i + 2u * WG]) + again_starts.z;
        output[i + 3u * WG] = scanned(input[i + 3u * WG]) + again_starts.w;
        output[j] = a + starts.x;
        output[j + WG] = b + starts.y;
        output[j + 2u * WG] = c + starts.z;
        output[j + 3u * WG] = d + starts.w;
    } else {
        put(i, scanned(four(i)) + again_starts.x);
        put(i + WG, scanned(four(i + WG)) + again_starts.y);
        put(i + 2u * WG, scanned(four(i + 2u * WG)) + again_starts.z);
        put(i + 3u * WG, scanned(four(i + 3u * WG)) + again_starts.w);
        put(j, a + starts.x);
        put(j + WG, b + starts.y);
        put(j + 2u * WG, c + starts.z);
        put(j + 3u * WG, d + starts.w);
    }
}

/// Elements 4i to 4i + 3. Elements beyond the n-th occur in the last tile only, after all others.
fn four(i: u32) -> vec4<T> {
    if (4u * i < sizes.n) {
        return input[i];
    }
    return vec4<T>();
}

/// In the order of `scanned`.
fn row_sum(x: vec4<T>) -> T {
    return ((x.x + x.y) + x.z) + x.w;
}

fn scanned(x: vec4<T>) -> vec4<T> {
    let y = x.x + x.y;
    let z = y + x.z;
    return vec4<T>(x.x, y, z, z + x.w);
}

fn put(i: u32, x: vec4<T>) {
    if (4u * i + 3u < sizes.n) {
        output[i] = x;
        return;
    }
    if (4u * i < sizes.n) {
        output[i].x = x.x;
    }
    if (4u * i + 1u < sizes.n) {
        output[i].y = x.y;
    }
    if (4u * i + 2u < sizes.n) {
        output[i].z = x.z;
    }
}

/// Publishes a sum. WGSL's atomics are relaxed and do not order words: each word holds half of the sum and the whole
/// status. A tile writes each status once, so that two words of one status belong together.
fn say(tile: u32, status: u32, sum: T) {
    let bits = bitcast<u32>(sum);
    atomicStore(&state[2u * tile + 2u], (status << 16u) | (bits & 0xffffu));
    atomicStore(&state[2u * tile + 3u], (status << 16u) | (bits >> 16u));
}

/// Publishes a sum for a tile that has not, so that other workgroups need not add it up. A word with a higher status
/// stays, and the tile replaces ADDED by its own. No reader joins halves of two sums: it takes words of one status only,
/// each of AGGREGATE and INCLUSIVE is from the tile, and all writers of ADDED add in the same order and write the same
/// bits.
fn say_for(tile: u32, sum: T) {
    let bits = bitcast<u32>(sum);
    atomicMax(&state[2u * tile + 2u], (ADDED << 16u) | (bits & 0xffffu));
    atomicMax(&state[2u * tile + 3u], (ADDED << 16u) | (bits >> 16u));
}

/// Looks back from `tile`, one lane per tile, up to a tile with an inclusive sum or one that stays unpublished for
/// `patience` reads: the sum of the tiles passed, and the tile where the search ended.
fn looked_back(tile: u32, lane: u32, lanes: u32, patience: u32) -> Found {
    var sum = T();
    var end = tile;
    var looks = 0u;
    if (tile >= FIRST && patience == LOOKS) {
        looks = pause(tile);
    }
    while (end > 0u && looks < patience) {
        let at = 2u * (end - 1u - min(lane, end - 1u)) + 2u;
        let low = atomicLoad(&state[at]);
        let high = atomicLoad(&state[at + 1u]);
        let status = select(SILENT, low >> 16u, (lane < end) & ((low >> 16u) == (high >> 16u)));
        let value = bitcast<T>((high << 16u) | (low & 0xffffu));
        // The nearest tile whose own sum is not published; an inclusive sum counts, too.
        let stop = subgroupMin(select(lane, lanes, (status == ADDED) | (status == AGGREGATE)));
        let is_last = (lane == stop) & (status == INCLUSIVE);
        sum += subgroupAdd(select(T(), value, (lane < stop) | is_last));
        end = select(end - stop, 0u, subgroupAny(is_last));
        looks = select(0u, looks + 1u, stop == 0u);
    }
    return Found(sum, end);
}

/// Waits for PAUSE rounds. The result is 0, which no compiler can know: `seed` is not 0, and no round makes it 0.
fn pause(seed: u32) -> u32 {
    var x = seed;
    for (var round = 0u; round < PAUSE; round++) {
        x = (x ^ (x >> 7u)) * 2654435769u;
    }
    return select(0u, 1u, x == 0u);
}

/// The sum of a whole tile, from the input.
fn added_up(tile: u32, t: u32, subgroup: u32, lane: u32, lanes: u32) -> T {
    let i = tile * 8u * WG + t;
    let j = i + 4u * WG;
    let x = (input[i] + input[i + WG]) + (input[i + 2u * WG] + input[i + 3u * WG]);
    let y = (input[j] + input[j + WG]) + (input[j + 2u * WG] + input[j + 3u * WG]);
    let part = subgroupAdd(row_sum(x + y));
    if (lane == 0u) {
        parts[subgroup].x = part;
    }
    workgroupBarrier();
    // Each subgroup adds all parts, four per lane at a time: llvmpipe ends loops after 65,535 iterations in an invocation,
    // and starts workgroups in the middle of a grid, which sum up all tiles before it.
    let count = (WG + lanes - 1u) / lanes;
    let present = min(lanes, WG - subgroup * lanes);
    var sum = T();
    for (var s = 4u * lane; s < count; s += 4u * present) {
        sum += parts[s].x;
        if (s + 1u < count) {
            sum += parts[s + 1u].x;
        }
        if (s + 2u < count) {
            sum += parts[s + 2u].x;
        }
        if (s + 3u < count) {
            sum += parts[s + 3u].x;
        }
    }
    sum = subgroupAdd(sum);
    workgroupBarrier(); // before the next sum
    return sum;
}
