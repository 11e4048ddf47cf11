// Inclusive scan in one pass by decoupled look-back (Merrill and Garland 2016): each workgroup scans a tile, publishes
// its sum, and adds the sums of all earlier tiles. If a sum stays unpublished, the waiting workgroup computes it
// (Smith, Levien and Owens 2025), since WebGPU does not guarantee that other workgroups make progress.
// Pattern: 16 elements per invocation in 16-byte loads and stores, a radix-4 scan of the invocations' sums, and
// look-back over 32 tiles at a time.
// Work: n scalars read and n written.
// Summary: each tile adds the published sums of earlier tiles and computes those not yet published
// Look for: The gain over `three_kernels` at large sizes (at most 2×), and the percentage of the copy peak reached. If
// one API is far slower, its workgroups may not make progress in order, so other workgroups compute their sums.
// Limits: The chain of tiles: each tile waits for the sums of earlier ones, one L2 latency per 32 tiles.

alias T = f32;

struct Sizes { n: u32, tiles: u32 }

/// The result of a search back through `tiles` neighbouring tiles: their sum, and the status that ended the search.
struct Seen { status: u32, tiles: u32, sum: T }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<T>>;
/// Zero before a launch. Word 0 is the number of the next tile; words 2k + 2 and 2k + 3 hold what tile k publishes.
@group(0) @binding(2) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
/// Reads of an unpublished tile before the fallback.
override LOOKS: u32 = 64u;

/// Tiles read at a time, one per invocation: a power of two.
const WINDOW = 32u;
/// Status of a tile: nothing published, its own sum as another workgroup added it up, its own sum, or the sum of all
/// elements up to its end. A higher status replaces a lower one.
const SILENT = 0u;
const ADDED = 1u;
const AGGREGATE = 2u;
const INCLUSIVE = 3u;

var<workgroup> ticket: u32;
var<workgroup> seen: array<Seen, WINDOW>;
/// Two vec4s per invocation: one half is read while the other is written.
var<workgroup> sums: array<vec4<T>, 2u * WG>;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32) {
    // Tiles are numbered in the order in which workgroups start, so that all tiles before this one have started.
    if (t == 0u) {
        ticket = atomicAdd(&state[0], 1u);
    }
    let tile = workgroupUniformLoad(&ticket);
    if (tile >= sizes.tiles) {
        return;
    }
    // Four rows of 4 WG elements, each scanned separately.
    let i = tile * 4u * WG + t;
    var a = scanned(four(i));
    var b = scanned(four(i + WG));
    var c = scanned(four(i + 2u * WG));
    var d = scanned(four(i + 3u * WG));
    var own = vec4<T>(a.w, b.w, c.w, d.w);
    sums[t] = own;
    workgroupBarrier();
    var half = 0u;
    for (var s = 1u; s < WG; s *= 4u) {
        if (t >= s) {
            own += sums[half + t - s];
        }
        if (t >= 2u * s) {
            own += sums[half + t - 2u * s];
        }
        if (t >= 3u * s) {
            own += sums[half + t - 3u * s];
        }
        half = WG - half;
        sums[half + t] = own;
        workgroupBarrier();
    }
    let all = sums[half + WG - 1u];
    let aggregate = (all.x + all.y) + (all.z + all.w);
    var starts = vec4<T>(T(), all.x, all.x + all.y, all.x + all.y + all.z);
    if (t > 0u) {
        starts += sums[half + t - 1u];
    }
    // Added before the look-back, so that it holds no registers meanwhile.
    a += starts.x;
    b += starts.y;
    c += starts.z;
    d += starts.w;
    if (t == 0u) {
        say(tile, select(AGGREGATE, INCLUSIVE, tile == 0u), aggregate);
    }
    // The sum of tiles end to tile - 1; each iteration adds at least one tile.
    var before = T();
    var end = tile;
    while (end > 0u) {
        for (var look = 0u; look < LOOKS && end > 0u;) {
            let found = looked_back(end, t);
            before += found.sum;
            look = select(0u, look + 1u, found.tiles == 0u);
            end = select(end - found.tiles, 0u, found.status == INCLUSIVE);
        }
        if (end > 0u) {
            end--;
            let sum = added_up(end, t);
            if (t == 0u) {
                say_for(end, sum);
            }
            before += sum;
        }
    }
    if (t == 0u && tile > 0u) {
        say(tile, INCLUSIVE, before + aggregate);
    }
    put(i, a + before);
    put(i + WG, b + before);
    put(i + 2u * WG, c + before);
    put(i + 3u * WG, d + before);
}

/// Elements 4i to 4i + 3. Elements beyond the n-th occur in the last tile only, after all others.
fn four(i: u32) -> vec4<T> {
    if (4u * i < sizes.n) {
        return input[i];
    }
    return vec4<T>();
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

/// What a tile has published.
fn heard(tile: u32) -> Seen {
    let low = atomicLoad(&state[2u * tile + 2u]);
    let high = atomicLoad(&state[2u * tile + 3u]);
    let status = low >> 16u;
    if (status == SILENT || status != (high >> 16u)) {
        return Seen(SILENT, 0u, T());
    }
    return Seen(status, 1u, bitcast<T>((high << 16u) | (low & 0xffffu)));
}

/// Joins the tiles of `near` and the preceding tiles `far`. The search ends at a tile without a published sum and at
/// one with an inclusive sum.
fn joined(near: Seen, far: Seen) -> Seen {
    if (near.status == SILENT || near.status == INCLUSIVE) {
        return near;
    }
    return Seen(far.status, near.tiles + far.tiles, near.sum + far.sum);
}

/// The WINDOW tiles before tile `end`, from the last one back to the first without a published sum or with an inclusive
/// one.
fn looked_back(end: u32, t: u32) -> Seen {
    if (t < WINDOW) {
        seen[t] = Seen(SILENT, 0u, T());
        if (t < end) {
            seen[t] = heard(end - 1u - t);
        }
    }
    workgroupBarrier();
    for (var s = 1u; s < WINDOW; s *= 2u) {
        if (t < WINDOW && t % (2u * s) == 0u) {
            seen[t] = joined(seen[t], seen[t + s]);
        }
        workgroupBarrier();
    }
    return workgroupUniformLoad(&seen[0]);
}

/// The sum of a whole tile, from the input.
fn added_up(tile: u32, t: u32) -> T {
    let i = tile * 4u * WG + t;
    workgroupBarrier(); // until all invocations have read the sums of the last use
    sums[t] = (four(i) + four(i + WG)) + (four(i + 2u * WG) + four(i + 3u * WG));
    workgroupBarrier();
    for (var s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            sums[t] += sums[t + s];
        }
        workgroupBarrier();
    }
    let all = workgroupUniformLoad(&sums[0]);
    return (all.x + all.y) + (all.z + all.w);
}
