#!/usr/bin/env python3
"""Writes variants of matrix products and transposes for docs/research/2026-11-25-limits.md, one folder each, for `run --shaders`.

    python3 scripts/reference/tiles.py DIR
    shaderbench run matmul/double_buffered --size 4096 --shaders DIR/two-rounds
    shaderbench run matmul/cooperative --size 4096 --shaders DIR/one-pair
    shaderbench run transpose/registers --size 8192 --shaders DIR/wide-first

The kernels are unrolled and for experiments only: they are right only for sizes that are whole tiles and bands of
tiles. A workgroup covers as many elements as in the suite's kernel of the same name, because its grid is used.
"""

import sys
from pathlib import Path


def product(depth=8, across=8, high=4, wide=8, rounds=1, ahead=False, band=0, pairs=False):
    """C = A*B in f32 with two pairs of tiles: 8 rows by `across` columns per invocation, `high` by `wide` invocations
    per subgroup of 32, `rounds` tiles per iteration of the loop. With `ahead`, the first step after the barrier is
    read before the last step before it is multiplied. With `pairs` (for 4 by 8), eight neighbours of a subgroup are
    four high and two wide instead of one and eight."""
    side, rows = 128, 8
    threads = side // rows * (side // across)
    warps_wide = side // (wide * across)
    a_pitch, b_pitch = side // 4 + 1, side // 4
    a_size, b_size = depth * a_pitch, depth * b_pitch
    a_loads, b_loads = side * depth // 4 // threads, side * depth // 4 // threads
    out = [
        f"""alias T = f32;
struct Sizes {{ m: u32, n: u32, k: u32 }}
@group(0) @binding(0) var<storage, read> a: array<vec4<T>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<T>>;
@group(0) @binding(3) var<uniform> sizes: Sizes;
var<workgroup> a_tiles: array<vec4<T>, {2 * a_size}>;
var<workgroup> b_tiles: array<vec4<T>, {2 * b_size}>;
@compute @workgroup_size({threads})
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    {tile_position(band)}
    let row = at.y * {side}u;
    let column = at.x * {side}u;
    let k4 = sizes.k / 4u;
    let n4 = sizes.n / 4u;
    let lane = t % 32u;
    let warp = t / 32u;
    let y = {"lane / 2u % 4u" if pairs else f"lane / {wide}u"};
    let x = {"lane / 8u * 2u + lane % 2u" if pairs else f"lane % {wide}u"};
    let from_a = warp / {warps_wide}u * {high * rows // 4}u + y;
    let from_b = warp % {warps_wide}u * {wide * across // 4}u + x;"""
    ]
    put = out.append
    for q in range(a_loads):
        put(f"    let r{q} = (t + {q * threads}u) / {depth // 4}u;")
        put(f"    let s{q} = (t + {q * threads}u) % {depth // 4}u;")
    sums = [(y, x) for y in range(rows) for x in range(across // 4)]
    for y, x in sums:
        put(f"    var c{y}_{x} = vec4<T>();")

    def load_next(first):
        for q in range(a_loads):
            put(f"        let next_a{q} = a[(row + r{q}) * k4 + s{q} + ({first}) / 4u];")
        for q in range(b_loads):
            number = f"(t + {q * threads}u)"
            put(
                f"        let next_b{q} = b[({number} / {side // 4}u + {first}) * n4 + column / 4u"
                f" + {number} % {side // 4}u];"
            )

    def store(turn):
        for q in range(a_loads):
            for j, lane in enumerate("xyzw"):
                put(
                    f"        a_tiles[{turn} * {a_size}u + s{q} * {4 * a_pitch}u + {j * a_pitch}u + r{q} / 4u]"
                    f"[r{q} % 4u] = next_a{q}.{lane};"
                )
        for q in range(b_loads):
            put(f"        b_tiles[{turn} * {b_size}u + t + {q * threads}u] = next_b{q};")

    def read(turn, p, name, word="let "):
        for i in range(rows // 4):
            put(f"        {word}{name}a{i} = a_tiles[{turn} * {a_size}u + {p * a_pitch + i * high}u + from_a];")
        for j in range(across // 4):
            put(f"        {word}{name}b{j} = b_tiles[{turn} * {b_size}u + {p * b_pitch + j * wide}u + from_b];")

    def multiply(name):
        for y, x in sums:
            put(f"        c{y}_{x} = fma(vec4<T>({name}a{y // 4}.{'xyzw'[y % 4]}), {name}b{x}, c{y}_{x});")

    put("    {")
    load_next("0u")
    store("0u")
    put("    }")
    if ahead:
        put("    workgroupBarrier();")
        read("0u", 0, "held_", "var ")
    put(f"    for (var first = 0u; first < sizes.k; first += {rounds * depth}u) {{")
    if rounds == 1:
        put(f"    let turn = first / {depth}u % 2u;")
    for half in range(rounds):
        turn, other = ("turn", "(1u - turn)") if rounds == 1 else (f"{half}u", f"{1 - half}u")
        put("    {")
        if not ahead:
            put("        workgroupBarrier();")
        put(f"        let next = min(first + {(half + 1) * depth}u, sizes.k - {depth}u);")
        load_next("next")
        if ahead:
            for p in range(1, depth):
                read(turn, p, f"p{p}_")
                multiply("held_" if p == 1 else f"p{p - 1}_")
            store(other)
            put("        workgroupBarrier();")
            read(other, 0, "held_", "")
            multiply(f"p{depth - 1}_")
        else:
            for p in range(depth):
                read(turn, p, f"p{p}_")
                multiply(f"p{p}_")
            store(other)
        put("    }")
    put("    }")
    for y, x in sums:
        to_row = f"row + warp / {warps_wide}u * {high * rows}u + {y // 4 * high * 4 + y % 4}u + y * 4u"
        put(f"    c[({to_row}) * n4 + column / 4u + from_b + {x * wide}u] = c{y}_{x};")
    put("}")
    return "\n".join(out) + "\n"


def cooperative(
    depth=32,
    high=2,
    wide=2,
    pairs=1,
    band=0,
    columns=128,
    ahead=False,
    spread=False,
    snake=False,
    sixteen=False,
    touch=0,
):
    """C = A*B of f16 by cooperative matrices: `high` by `wide` subgroups for 128 rows by `columns`, with one or two
    `pairs` of tiles. `ahead`, with two rounds per iteration of the loop: the first step after the barriers is read
    before the last step before them is multiplied. `spread`: rows of A four apart are stored together, in different
    banks. `snake`: neighbouring products share a factor. `sixteen`: loads of 16 bytes as vec4<u32>, unpacked before
    they are stored in the tiles. `touch`: reads a word of every 64 bytes that are needed `touch` rounds later, an
    eighth of them in each of the workgroups that share them, to load them into L2 (32 deep, two rounds per
    iteration)."""
    side = 128
    threads = high * wide * 32
    a_parts, b_parts = side // high // 16, columns // wide // 16
    group = 8 if sixteen else 4
    a_pitch, b_pitch = (depth + 8) // group, (columns + 8) // group
    a_size, b_size = side * a_pitch, depth * b_pitch
    a_loads, b_loads = side * depth // group // threads, columns * depth // group // threads
    a_rows, b_rows = threads // (depth // group), threads // (columns // group)
    stored, loaded, first_four = ("Pair", "vec4<u32>", ".low") if sixteen else ("vec4<f16>", "vec4<f16>", "")
    out = [
        f"""enable f16;
enable wgpu_cooperative_matrix;
struct Pair {{ low: vec4<f16>, high: vec4<f16> }}
struct Sizes {{ m: u32, n: u32, k: u32 }}
@group(0) @binding(0) var<storage, read> a: array<{loaded}>;
@group(0) @binding(1) var<storage, read> b: array<{loaded}>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;
var<workgroup> a_tiles: array<{stored}, {pairs * a_size}>;
var<workgroup> b_tiles: array<{stored}, {pairs * b_size}>;
@compute @workgroup_size({threads})
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
) {{
    {tile_position(band, columns)}
    let row = at.y * {side}u;
    let column = at.x * {columns}u;
    let k4 = sizes.k / {group}u;
    let n4 = sizes.n / {group}u;
    let part_row = subgroup / {wide}u * {side // high}u;
    let part_column = subgroup % {wide}u * {columns // wide}u;
    let place = t / {depth // group}u;
    let a_row = {"place / 2u % 4u + place % 2u * 4u + place / 8u * 8u" if spread else "place"};
    let a_from = (row + a_row) * k4 + t % {depth // group}u;
    let b_from = t / {columns // group}u * n4 + column / {group}u + t % {columns // group}u;
    let a_put = a_row * {a_pitch}u + t % {depth // group}u;
    let b_put = t / {columns // group}u * {b_pitch}u + t % {columns // group}u;"""
    ]
    put = out.append
    products = [
        (y, x) for y in range(a_parts) for x in (reversed(range(b_parts)) if snake and y % 2 else range(b_parts))
    ]
    for y, x in products:
        put(f"    var s{y}_{x} = coop_mat16x16<f32, C>();")

    def unpacked(name):
        if not sixteen:
            return name
        x, y, z, w = (f"vec2<f16>(unpack2x16float({name}.{lane}))" for lane in "xyzw")
        return f"Pair(vec4<f16>({x}, {y}), vec4<f16>({z}, {w}))"

    def load_next(first):
        for q in range(a_loads):
            put(f"        let next_a{q} = a[a_from + {q * a_rows}u * k4 + {first} / {group}u];")
        for q in range(b_loads):
            put(f"        let next_b{q} = b[b_from + ({first} + {q * b_rows}u) * n4];")

    def store(turn):
        for q in range(a_loads):
            put(f"        a_tiles[{turn} * {a_size}u + a_put + {q * a_rows * a_pitch}u] = {unpacked(f'next_a{q}')};")
        for q in range(b_loads):
            put(f"        b_tiles[{turn} * {b_size}u + b_put + {q * b_rows * b_pitch}u] = {unpacked(f'next_b{q}')};")

    def read(turn, p, name, word="let "):
        for y in range(a_parts):
            at = f"{turn} * {a_size}u + (part_row + {16 * y}u) * {a_pitch}u + {p // group}u"
            put(
                f"        {word}{name}a{y} = coopLoadT<coop_mat16x16<f16, A>>"
                f"(&a_tiles[{at}]{first_four}, {a_pitch * group // 4}u);"
            )
        for x in range(b_parts):
            at = f"{turn} * {b_size}u + {p * b_pitch + 16 // group * x}u + part_column / {group}u"
            put(
                f"        {word}{name}b{x} = coopLoadT<coop_mat16x16<f16, B>>"
                f"(&b_tiles[{at}]{first_four}, {b_pitch * group // 4}u);"
            )

    def multiply(name):
        for y, x in products:
            put(f"        s{y}_{x} = coopMultiplyAdd({name}a{y}, {name}b{x}, s{y}_{x});")

    put("    {")
    load_next("0u")
    store("0u")
    put("    }")
    rounds = 2 if ahead else 1
    if ahead:
        put("    workgroupBarrier();")
        read("0u", 0, "held_", "var ")
    if touch:
        put(f"    let touch_a = (row + at.x % 8u * 16u + t % 32u / 2u) * k4 + t % 2u * {32 // group}u;")
        put(f"    let touch_b = (at.y % 8u * 8u + t % 32u / 4u) * n4 + column / {group}u + t % 4u * {32 // group}u;")
        put("    var seen = f32();\n    var seen_a = f32();\n    var seen_b = f32();")
    put(f"    for (var first = 0u; first < sizes.k; first += {rounds * depth}u) {{")
    put(f"        let turn = {f'first / {depth}u % 2u' if pairs == 2 else '0u'};")
    if touch:
        put("        seen += seen_a + seen_b;")
        put(f"        let touched = min(first + {touch * depth}u, sizes.k - {2 * depth}u);")
        put(f"        seen_a = f32(a[touch_a + touched / {group}u].x);")
        put(f"        seen_b = f32(b[touch_b + touched * n4].x);")
    for part in range(rounds):
        here, there = (
            (f"{part}u", f"{1 - part}u") if pairs == 2 and ahead else ("turn", "(1u - turn)" if pairs == 2 else "0u")
        )
        put("        {")
        if not ahead:
            put("        workgroupBarrier();")
        put(f"        let next = min(first + {(part + 1) * depth}u, sizes.k - {depth}u);")
        load_next("next")
        if ahead:
            for p in range(16, depth, 16):
                read(here, p, f"p{p}_")
                multiply("held_" if p == 16 else f"p{p - 16}_")
        else:
            for p in range(0, depth, 16):
                read(here, p, f"p{p}_")
                multiply(f"p{p}_")
        if pairs == 1:
            put("        workgroupBarrier();")
        store(there)
        if ahead:
            put("        workgroupBarrier();")
            read(there, 0, "held_", "")
            multiply(f"p{depth - 16}_")
        put("        }")
    put("    }")
    if touch:
        put("    if (sizes.m == 0u) { c[0] = seen + seen_a + seen_b; }")
    put("    let n = sizes.n;\n    let top = (row + part_row) * n + column + part_column;")
    for y, x in products:
        put(f"    let at_{y}_{x} = top + {16 * y}u * n + {16 * x}u;\n    coopStoreT(s{y}_{x}, &c[at_{y}_{x}], n);")
    put("}")
    return "\n".join(out) + "\n"


def tile_position(band, columns=128):
    """The workgroup's tile: row by row, or in bands of rows, column by column. The grid has one workgroup per 128
    columns: with more columns per workgroup the others return at once."""
    if not band:
        return "let at = group.xy;"
    across, rest = "groups.x", ""
    if columns > 128:
        across, rest = (
            f"(groups.x / {columns // 128}u)",
            "    if (group.y * groups.x + group.x >= across * groups.y) { return; }\n",
        )
    return (
        f"let across = {across};\n{rest}    let number = group.y * groups.x + group.x;\n"
        f"    let rest = number % ({band}u * across);\n"
        f"    let at = vec2<u32>(rest / {band}u, number / ({band}u * across) * {band}u + rest % {band}u);"
    )


def turned(first=False, down=False):
    """The transpose by tiles of 64x64 in halves of 64 rows by 32 columns. `first`: all loads of both halves come
    first. `down`: workgroups are numbered down the columns."""
    across, height = ("group.y", "group.x") if down else ("group.x", "group.y")
    out = [
        f"""alias T = f32;
struct Sizes {{ rows: u32, columns: u32 }}
@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;
var<workgroup> half: array<T, 32 * 65>;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>) {{
    let left = {across} * 64u;
    let top = {height} * 64u;"""
    ]

    def load(part):
        out.extend(
            f"    let x{part}_{k} = input[(top + t / 32u + {8 * k}u) * sizes.columns + left + {32 * part}u + t % 32u];"
            for k in range(8)
        )

    if first:
        load(0)
        load(1)
    for part in range(2):
        if not first:
            load(part)
        if part:
            out.append("    workgroupBarrier();")
        out.extend(f"    half[t % 32u * 65u + t / 32u + {8 * k}u] = x{part}_{k};" for k in range(8))
        out.append("    workgroupBarrier();")
        to = f"(left + {32 * part}u + t / 64u + %du) * sizes.rows + top + t %% 64u"
        out.extend(f"    output[{to % (4 * k)}] = half[(t / 64u + {4 * k}u) * 65u + t % 64u];" for k in range(8))
    out.append("}")
    return "\n".join(out) + "\n"


PRODUCTS = {
    "one-round": {},
    "two-rounds": {"rounds": 2},
    "ahead": {"rounds": 2, "ahead": True},
    "ahead-in-bands": {"rounds": 2, "ahead": True, "band": 8},
    "ahead-in-bands-pairs": {"rounds": 2, "ahead": True, "band": 8, "pairs": True},
    "8x16": {"across": 16, "high": 8, "wide": 4, "rounds": 2},
    "8x16-ahead": {"across": 16, "high": 8, "wide": 4, "rounds": 2, "ahead": True},
    "16-deep": {"depth": 16, "rounds": 2, "ahead": True},
}
AHEAD = {"band": 8, "ahead": True, "spread": True}
COOPERATIVE = {
    "two-pairs": {"pairs": 2},
    "two-pairs-16-deep": {"pairs": 2, "depth": 16},
    "one-pair": {},
    "one-pair-in-bands": {"band": 8},
    "one-pair-16-deep": {"depth": 16},
    "one-pair-64-deep": {"depth": 64},
    "one-pair-8-subgroups": {"high": 4},
    "one-pair-128x256": {"wide": 4, "columns": 256, "band": 8},
    "one-pair-spread": {"band": 8, "spread": True},
    "one-pair-ahead": {"band": 8, "ahead": True},
    "ahead-spread": {**AHEAD},
    "ahead-spread-snake": {**AHEAD, "snake": True},
    "ahead-16-bytes": {**AHEAD, "snake": True, "sixteen": True},
    "ahead-touch": {**AHEAD, "snake": True, "touch": 4},
    "ahead-two-pairs": {**AHEAD, "snake": True, "pairs": 2},
    "ahead-128x256": {**AHEAD, "snake": True, "wide": 4, "columns": 256},
}
TRANSPOSES = {
    "wide": {},
    "wide-first": {"first": True},
    "wide-down": {"down": True},
    "wide-first-down": {"first": True, "down": True},
}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 scripts/reference/tiles.py DIR")
    for family, kernel, write, variants in (
        ("matmul", "double_buffered", product, PRODUCTS),
        ("matmul", "cooperative", cooperative, COOPERATIVE),
        ("transpose", "registers", turned, TRANSPOSES),
    ):
        for name, shape in variants.items():
            folder = Path(sys.argv[1]) / name / family
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{kernel}.wgsl").write_text(write(**shape))
            print(folder / f"{kernel}.wgsl")


main()
