"""Hostile kernels of one's own: WGSL, SPIR-V, CUDA C++, TOML files, compilers and bundles of wrong results."""

import json
import random
import shutil
from pathlib import Path

from command_line import KERNELS, VALUES
from harness import Folder

ROOT = Path(__file__).resolve().parents[2]
WGSL = """override WG: u32 = 64u;
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(WG) fn main(@builtin(global_invocation_id) id: vec3<u32>) { output[id.x] = 2.0 * input[id.x]; }
"""
CUDA = """extern "C" __global__ void __launch_bounds__(WG) kernel(const float* input, float* output) {
    output[blockIdx.x * WG + threadIdx.x] = 2.0f * input[blockIdx.x * WG + threadIdx.x];
}
"""
TOML = """name = "own"
summary = "twice"
kernels = ["k.wgsl"]
dtype = "f32"
sizes = ["64", "2^7"]
groups = "ceil_div(n, WG)"
bytes = "8 * n"
flops = "n"
limit = "none"
[params]
WG = [32, 64]
[buffers]
input = { contents = "small", length = "n" }
[verify]
expect = "2.0 * input[i]"
buffer = "output"
length = "n"
tolerance = 1e-3
relative = 0.0
"""
EXPRESSIONS = [
    "", "(", "i i", "loop {}", "while true {}", "for k in 0..9999999999 {}", "1/0", "input[-1]", "input[n]", "input[1e99]", "x", "i32",
    "-9223372036854775808 / -1", "9223372036854775807 + 1", "fn f(x) { f(x) } f(1)", "[" * 500, "let a = []; loop { a.push(a) }",
    "\"" + "a" * 100000 + "\"", "eval(\"1\")", "print(1)", "import \"x\" as y; 1", "0.0 / 0.0", "1e308 * 10.0", "this", "throw 1", "i; ()",
    "let s = \"a\"; loop { s += s }", "\x1b[31m", "\u202e",
]
SPECS = [
    *VALUES, "naga", "file", "naga | naga", "|", "a|", "/nowhere {in} {out}", "/dev/null {in} {out}", "cat {in} {out}", "cp {in} {out}",
    "true {in} {out}", "false {in} {out}", "'a {in} {out}", "naga | cp {in} {out}", "=naga", "x=naga", "naga=cp {in} {out}", "head -c 64 {in} {out}",
]


def damaged(text, source):
    """A text with a few random edits."""
    text = bytearray(text if isinstance(text, bytes) else text.encode())
    for _ in range(source.choice([1, 1, 2, 4])):
        at = source.randrange(len(text) + 1)
        kind = source.randrange(4)
        if kind == 0:
            text[at:at + source.randrange(1, 12)] = b""
        elif kind == 1:
            text[at:at] = source.choice(VALUES[:30] + EXPRESSIONS[:8]).encode()
        elif kind == 2:
            text[at:at + 1] = bytes([source.choice([0, 10, 34, 91, 93, 123, 255, source.randrange(256)])])
        else:
            del text[at:]
    return bytes(text)


def attack(attacker, count, seed):
    source = random.Random(seed)
    spirv = (ROOT / "examples/spirv/saxpy.spv").read_bytes()
    spirv_toml = (ROOT / "examples/spirv/saxpy.toml").read_text()

    def dry(files, *line):
        with Folder() as folder:
            for name, contents in files.items():
                folder.write(name, contents)
            attacker.run("own kernels", ["bench", *line, "--dry-run"], folder.path)

    for contents in KERNELS:
        for end in ["wgsl", "spv", "cu", "toml"]:
            yield lambda contents=contents, end=end: dry({f"k.{end}": contents}, f"k.{end}")
    for _ in range(count // 4):
        edits = {"toml": damaged(TOML, source), "wgsl": damaged(WGSL, source), "cu": damaged(CUDA, source), "spv": damaged(spirv, source)}
        whole = {"k.toml": TOML, "k.wgsl": WGSL, "k.cu": CUDA}
        yield lambda e=edits: dry({**whole, "k.toml": e["toml"]}, "k.toml")
        yield lambda e=edits: dry({**whole, "k.wgsl": e["wgsl"]}, "k.wgsl")
        yield lambda e=edits: dry({"k.cu": e["cu"]}, "k.cu")
        yield lambda e=edits: dry({"k.spv": e["spv"], "k.toml": spirv_toml}, "k.spv")
    for spec in SPECS:
        yield lambda spec=spec: dry({"k.wgsl": WGSL}, "k.wgsl", "--compiler", spec.replace("\x00", ""))


def measured(attacker, count, seed):
    """What shows only while a kernel runs: expressions, compilers, and bundles."""
    source = random.Random(seed)

    def one(files, *line):
        with Folder() as folder:
            for name, contents in files.items():
                folder.write(name, contents)
            line = ["bench", "k.wgsl", "--size", "64", "--profile", "quick", "--epochs", "1", "--out", "r.csv", *line]
            attacker.run("own kernels", line, folder.path, timeout=180, codes=(0, 1, 2, 3))

    for expression in EXPRESSIONS:
        for key in ["expect", "groups", "bytes"]:
            lines = [f"{key} = {json.dumps(expression)}" if line.startswith(key) else line for line in TOML.splitlines()]
            yield lambda lines=lines: one({"k.wgsl": WGSL, "k.toml": "\n".join(lines)})
    for spec in SPECS[-14:]:
        yield lambda spec=spec: one({"k.wgsl": WGSL, "k.toml": TOML}, "--unchecked", "--compiler", spec)
    yield lambda: bundles(attacker, source, count)


def bundles(attacker, source, count):
    """A bundle of a wrong result, damaged."""
    with Folder() as folder:
        folder.write("k.wgsl", WGSL.replace("2.0 *", "3.0 *"))
        folder.write("k.toml", TOML)
        line = ["bench", "k.wgsl", "--size", "64", "--profile", "quick", "--epochs", "1", "--out", "r.csv"]
        attacker.run("bundles", line, folder.path, timeout=180, codes=(3,))
        whole = next(path.parent for path in folder.path.rglob("bundle.json"))
        files = [path.relative_to(whole) for path in whole.rglob("*") if path.is_file()]
        for _ in range(count // 20):
            shutil.copytree(whole, folder.path / "b")
            name = source.choice([*files, Path("bundle.json"), Path("bundle.json"), Path("bench/kernel.toml")])
            (folder.path / "b" / name).write_bytes(damaged((whole / name).read_bytes() or b"x", source))
            attacker.run("bundles", ["bench", "replay", "b"], folder.path, timeout=180, codes=(0, 1, 2, 3))
            shutil.rmtree(folder.path / "b")
