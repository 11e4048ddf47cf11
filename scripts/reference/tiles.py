#!/usr/bin/env python3
"""Writes matrix products of many shapes, for docs/limits.md: one folder a variant, to be measured by `shaderbench run --shaders`.

    python3 scripts/reference/tiles.py DIR
    shaderbench run matmul/double_buffered --size 4096 --shaders DIR/two-rounds
    shaderbench run matmul/cooperative --size 4096 --shaders DIR/one-pair

The kernels are written out, step by step, and right for sizes alone that are whole tiles and bands of tiles: they are for trying, the suite's own
(shaders/matmul) are for use. Each covers 128x128 elements of C with a workgroup, so that the suite's grids fit.
"""
import sys
from pathlib import Path


def product(depth=8, across=8, high=4, wide=8, rounds=1, ahead=False, band=0):
    """C = A*B in f32 with two pairs of tiles in turn: `across` columns by 8 rows an invocation, `high` by `wide` invocations a subgroup of 32,
    `rounds` tiles in a turn of the loop; `ahead`: the first step behind the barrier is read before the last one in front."""
    side, rows = 128, 8
    threads = side // rows * (side // across)
    warps_wide = side // (wide * across)
    a_pitch, b_pitch = side // 4 + 1, side // 4
    a_size, b_size = depth * a_pitch, depth * b_pitch
    a_loads, b_loads = side * depth // 4 // threads, side * depth // 4 // threads
    out = [f"""alias T = f32;
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
    {place(band)}
    let row = at.y * {side}u;
    let column = at.x * {side}u;
    let k4 = sizes.k / 4u;
    let n4 = sizes.n / 4u;
    let lane = t % 32u;
    let warp = t / 32u;
    let from_a = warp / {warps_wide}u * {high * rows // 4}u + lane / {wide}u;
    let from_b = warp % {warps_wide}u * {wide * across // 4}u + lane % {wide}u;"""]
    put = out.append
    for q in range(a_loads):
        put(f"    let r{q} = (t + {q * threads}u) / {depth // 4}u;")
        put(f"    let s{q} = (t + {q * threads}u) % {depth // 4}u;")
    sums = [(y, x) for y in range(rows) for x in range(across // 4)]
    for y, x in sums:
        put(f"    var c{y}_{x} = vec4<T>();")

    def bring(first):
        for q in range(a_loads):
            put(f"        let next_a{q} = a[(row + r{q}) * k4 + s{q} + ({first}) / 4u];")
        for q in range(b_loads):
            number = f"(t + {q * threads}u)"
            put(f"        let next_b{q} = b[({number} / {side // 4}u + {first}) * n4 + column / 4u + {number} % {side // 4}u];")

    def keep(turn):
        for q in range(a_loads):
            for j, lane in enumerate("xyzw"):
                put(f"        a_tiles[{turn} * {a_size}u + s{q} * {4 * a_pitch}u + {j * a_pitch}u + r{q} / 4u][r{q} % 4u] = next_a{q}.{lane};")
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
    bring("0u")
    keep("0u")
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
        bring("next")
        if ahead:
            for p in range(1, depth):
                read(turn, p, f"p{p}_")
                multiply("held_" if p == 1 else f"p{p - 1}_")
            keep(other)
            put("        workgroupBarrier();")
            read(other, 0, "held_", "")
            multiply(f"p{depth - 1}_")
        else:
            for p in range(depth):
                read(turn, p, f"p{p}_")
                multiply(f"p{p}_")
            keep(other)
        put("    }")
    put("    }")
    for y, x in sums:
        to_row = f"row + warp / {warps_wide}u * {high * rows}u + {y // 4 * high * 4 + y % 4}u + lane / {wide}u * 4u"
        put(f"    c[({to_row}) * n4 + column / 4u + from_b + {x * wide}u] = c{y}_{x};")
    put("}")
    return "\n".join(out) + "\n"


def cooperative(depth=32, high=2, wide=2, pairs=1, band=0):
    """C = A*B of f16 by cooperative matrices: `high` by `wide` subgroups, with one pair of tiles or two in turn."""
    side = 128
    threads = high * wide * 32
    a_parts, b_parts = side // high // 16, side // wide // 16
    a_pitch, b_pitch = depth // 4 + 2, side // 4 + 2
    a_size, b_size = side * a_pitch, depth * b_pitch
    loads = side * depth // 4 // threads
    a_rows, b_rows = threads // (depth // 4), threads // (side // 4)
    out = [f"""enable f16;
enable wgpu_cooperative_matrix;
struct Sizes {{ m: u32, n: u32, k: u32 }}
@group(0) @binding(0) var<storage, read> a: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;
var<workgroup> a_tiles: array<vec4<f16>, {pairs * a_size}>;
var<workgroup> b_tiles: array<vec4<f16>, {pairs * b_size}>;
@compute @workgroup_size({threads})
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
) {{
    {place(band)}
    let row = at.y * {side}u;
    let column = at.x * {side}u;
    let k4 = sizes.k / 4u;
    let n4 = sizes.n / 4u;
    let part_row = subgroup / {wide}u * {side // high}u;
    let part_column = subgroup % {wide}u * {side // wide}u;
    let a_from = (row + t / {depth // 4}u) * k4 + t % {depth // 4}u;
    let b_from = t / {side // 4}u * n4 + column / 4u + t % {side // 4}u;
    let a_put = t / {depth // 4}u * {a_pitch}u + t % {depth // 4}u;
    let b_put = t / {side // 4}u * {b_pitch}u + t % {side // 4}u;"""]
    put = out.append
    products = [(y, x) for y in range(a_parts) for x in range(b_parts)]
    for y, x in products:
        put(f"    var s{y}_{x} = coop_mat16x16<f32, C>();")

    def bring(first):
        for q in range(loads):
            put(f"        let next_a{q} = a[a_from + {q * a_rows}u * k4 + {first} / 4u];")
            put(f"        let next_b{q} = b[b_from + ({first} + {q * b_rows}u) * n4];")

    def keep(turn):
        for q in range(loads):
            put(f"        a_tiles[{turn} * {a_size}u + a_put + {q * a_rows * a_pitch}u] = next_a{q};")
            put(f"        b_tiles[{turn} * {b_size}u + b_put + {q * b_rows * b_pitch}u] = next_b{q};")

    put("    {")
    bring("0u")
    keep("0u")
    put("    }")
    put(f"    for (var first = 0u; first < sizes.k; first += {depth}u) {{")
    put(f"        let turn = {f'first / {depth}u % 2u' if pairs == 2 else '0u'};")
    put("        workgroupBarrier();")
    put(f"        let next = min(first + {depth}u, sizes.k - {depth}u);")
    bring("next")
    for p in range(0, depth, 16):
        for y in range(a_parts):
            at = f"turn * {a_size}u + (part_row + {16 * y}u) * {a_pitch}u + {p // 4}u"
            put(f"        let a{p}_{y} = coopLoadT<coop_mat16x16<f16, A>>(&a_tiles[{at}], {a_pitch}u);")
        for x in range(b_parts):
            at = f"turn * {b_size}u + {p * b_pitch + 4 * x}u + part_column / 4u"
            put(f"        let b{p}_{x} = coopLoadT<coop_mat16x16<f16, B>>(&b_tiles[{at}], {b_pitch}u);")
        for y, x in products:
            put(f"        s{y}_{x} = coopMultiplyAdd(a{p}_{y}, b{p}_{x}, s{y}_{x});")
    if pairs == 1:
        put("        workgroupBarrier();")
    keep("(1u - turn)" if pairs == 2 else "0u")
    put("    }")
    put("    let n = sizes.n;\n    let top = (row + part_row) * n + column + part_column;")
    for y, x in products:
        put(f"    let at_{y}_{x} = top + {16 * y}u * n + {16 * x}u;\n    coopStoreT(s{y}_{x}, &c[at_{y}_{x}], n);")
    put("}")
    return "\n".join(out) + "\n"


def place(band):
    """The workgroup's tile: row by row, or in bands of some rows, column by column."""
    if not band:
        return "let at = group.xy;"
    return (f"let number = group.y * groups.x + group.x;\n    let rest = number % ({band}u * groups.x);\n"
            f"    let at = vec2<u32>(rest / {band}u, number / ({band}u * groups.x) * {band}u + rest % {band}u);")


PRODUCTS = {
    "one-round": {},
    "two-rounds": {"rounds": 2},
    "ahead": {"rounds": 2, "ahead": True},
    "ahead-in-bands": {"rounds": 2, "ahead": True, "band": 8},
    "8x16": {"across": 16, "high": 8, "wide": 4, "rounds": 2},
    "8x16-ahead": {"across": 16, "high": 8, "wide": 4, "rounds": 2, "ahead": True},
    "16-deep": {"depth": 16, "rounds": 2, "ahead": True},
}
COOPERATIVE = {
    "two-pairs": {"pairs": 2},
    "two-pairs-16-deep": {"pairs": 2, "depth": 16},
    "one-pair": {},
    "one-pair-in-bands": {"band": 8},
    "one-pair-16-deep": {"depth": 16},
    "one-pair-64-deep": {"depth": 64},
    "one-pair-8-subgroups": {"high": 4},
}


def main():
    if len(sys.argv) != 2:
        sys.exit("name the folder to write to: python3 scripts/reference/tiles.py DIR")
    for kernel, write, variants in (("double_buffered", product, PRODUCTS), ("cooperative", cooperative, COOPERATIVE)):
        for name, shape in variants.items():
            folder = Path(sys.argv[1]) / name / "matmul"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{kernel}.wgsl").write_text(write(**shape))
            print(folder / f"{kernel}.wgsl")


main()
