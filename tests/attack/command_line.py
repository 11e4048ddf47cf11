"""Hostile arguments, environments and kernels."""

import json
import os
import random
import subprocess

from harness import Folder

VALUES = [
    "", " ", "0", "-1", "1", "3", "255", "0.5", "1e99", "NaN", "inf", "2^64", "2^2^2", "18446744073709551616", "99999999999999999999",
    "x", "x=y=z", "=", "WG=", "=1", "WG=1", "WG=3", "WG=255", "WG=0", "WG=-64", "WG=NaN", "WG=1e99", "PAD=0.5", "PAD=-1", "PAD=1000000",
    "512x2000", "0x0", "1x1", "1x", "x1", "1x1x1", "1x2x3x4", "2^31x2^31", "4294967296", "\x1b[31m", "\u202e", "\n", "../..", "/", "*",
    "**", "[", "{a,b}", "transpose/*/*", "a" * 5000, "ünï", "--", "-", "null", "/dev/null", "/dev/zero", "~",
]
FLAGS = [
    "--profile", "--device", "--backend", "--size", "--param", "--time", "--epochs", "--seed", "--shaders", "--out", "--resume",
    "--json", "--save-image", "--fail-on", "--format", "--baseline", "--fail-on-regression", "--margin", "--sort", "--report", "--lang",
    "--checks", "--dtype", "--compiler", "--expect", "--reference", "--groups", "--tolerance",
]
COMMANDS = ["run", "bench", "bisect", "summary", "normal", "learn", "compare", "outliers", "report", "share", "list", "devices", "explain", "show", "help", ""]
ENVIRONMENT = {
    "WGPU_BACKEND": ["", " ", "x", "vulkan,x", "gl", "metal", "\x1b[31m", ","],
    "COLUMNS": ["", "0", "-1", "1", "10", "99999999999", "x"],
    "TERM": ["", "dumb", "x"],
    "NVRTC_LIB": ["", "/nowhere", "/dev/null"],
    "VK_DRIVER_FILES": ["", "/nowhere", "/dev/null"],
    "TMPDIR": ["/nowhere", ""],
    "HOME": ["", "/nowhere"],
    "LANG": ["tr_TR.UTF-8", "C"],
    "TZ": ["", "x", ":/dev/zero"],
}
KERNELS = [
    b"", b"\x00", b"fn", b"\xff\xfe", "x".encode("utf-16"), b"@compute", b"/" * 100000, b"(" * 20000, b"{" * 20000,
    b"fn main() {" + b"{" * 3000 + b"}" * 3000 + b"}", b"@compute @workgroup_size(64) fn main() {}",
    b"@compute @workgroup_size(0) fn main() {}", b"@compute @workgroup_size(4294967295) fn main() {}",
    b"@compute @workgroup_size(65536) fn main() {}", b"@vertex fn main() {}", b"const x = 1 / 0;", b"const x = y; const y = x;",
    b"struct A { b: B } struct B { a: A }", b"var<workgroup> a: array<f32, 4294967295>;", b"override x: u32 = 1u / 0u;",
    b"\x1b[31mfn", "fn \u202e() {}".encode(), b"enable f16; enable nothing;", b"#version 450\nvoid main() {}", b"a\x00b",
]


def arguments(attacker, count, seed):
    """Each flag with each value after each command that may have it; then random mixtures. No device is measured."""
    source = random.Random(seed)
    inputs = []
    for flag in FLAGS:
        for value in VALUES:
            # A dry run stops before anything is measured.
            inputs.append(["run", "transpose/tiled", "--dry-run", flag, value])
            command = source.choice(["compare", "report", "explain", "show", "list", "devices", "summary"])
            inputs.append([command, flag, value, "transpose/tiled"])
    for value in VALUES:
        inputs += [["run", "--dry-run", value], ["explain", value], ["show", value], ["list", value], ["compare", value, value],
                   ["help", value], ["--generate", value], ["--generate", "man", "--out", value], ["report", value, "--format", "index"], [value]]
    for _ in range(count):
        mixture = [source.choice(COMMANDS[:-1])]
        mixture += [source.choice(FLAGS + VALUES + VALUES) for _ in range(source.randint(1, 6))]
        inputs.append([*mixture, "--dry-run"] if mixture[0] in ("run", "bench", "learn", "explain") else mixture)
    for line in inputs:
        if line[0] in VALUES and line[0] != "":
            line = [*line, "--dry-run"]
        yield lambda line=line: in_empty_folder(attacker, "arguments", line)
    for raw in [[b"\xff"], ["run", b"\xff", "--dry-run"], ["report", b"\xff\x1b"], ["show", "transpose/tiled", "--out", b"/nowhere/\xff"],
                ["run"] * 2000 + ["--dry-run"]]:
        yield lambda raw=raw: in_empty_folder(attacker, "arguments", raw)


def in_empty_folder(attacker, group, line, env=None):
    line = [part.replace("\x00", "") if isinstance(part, str) else part for part in line]
    with Folder() as folder:
        # Manual pages hold control characters of their own.
        attacker.run(group, line, folder.path, env=env, is_text="man" not in line)


def environments(attacker):
    for name, values in ENVIRONMENT.items():
        for value in values:
            for line in [["devices"], ["run", "transpose/tiled", "--dry-run"], ["list"]]:
                yield lambda name=name, value=value, line=line: in_empty_folder(
                    attacker, "environment", line, {name: value})


def orders(attacker, count, seed):
    """Orders to a worker that no program gives: damaged, out of turn, too large."""
    chance = random.Random(seed)
    words = ["run", "stream/copy", "--profile", "quick", "--size", "2^12", "--epochs", "1"]
    devices, card = {"Devices": {"backend": None}}, {"Open": {"words": [{"Unix": list(word.encode())} for word in words], "card": [0]}}
    run = {"Run": {"date": "2026-01-01T00:00:00Z", "seed": 1, "time": None, "compiles_ahead": False, "is_in_step": False,
                   "report": {"Unix": list(b"r.csv")}, "pictures": None, "earlier": {"records": [], "slots": [], "to_repeat": []}}}
    known = [devices, card, run, "Continue", "Stop", {"Go": {"is_in_step": True}}, {"Load": {"case": 9, "api": 9, "seconds": -1}}]

    def damaged():
        lines = [json.dumps(order) for order in chance.choices(known, k=chance.randint(1, 6))]
        text = "\n".join(lines) + "\n"
        for _ in range(chance.randint(0, 4)):
            at = chance.randrange(len(text))
            piece = chance.choice(["", "{", "[" * 5000, "\x00", "\n", "99999999999999999999", "\ud7ff", "null", "-1"])
            text = text[:at] + piece + text[at + chance.randint(0, 3):]
        return text.encode(errors="replace")

    def one(text):
        attacker.tally.count("orders")
        with Folder() as folder:
            environment = {**os.environ, "NODEVICE_SELECT": "1"}
            try:
                done = subprocess.run([attacker.program, "worker"], input=text, cwd=folder.path, env=environment,
                                      capture_output=True, timeout=60)
            except subprocess.TimeoutExpired:
                attacker.tally.fault("hangs", f"orders: {text[:200]!r}")
                return
            if done.returncode not in (0, 1) or b"Panicked" in done.stdout:
                attacker.tally.fault("panics", f"orders: code {done.returncode}: {text[:200]!r} {done.stdout[-300:]!r}")
            for line in done.stdout.splitlines():
                try:
                    json.loads(line)
                except ValueError:
                    attacker.tally.fault("other faults", f"orders: no event: {line[:200]!r}")

    for text in [b"", b"\n", b"\xff\n", b"[" * 1_000_000, b"x" * 10_000_000, json.dumps(run).encode() + b"\n"]:
        yield lambda text=text: one(text)
    for _ in range(count // 20):
        yield lambda text=damaged(): one(text)


def kernels(attacker):
    """Each kernel in place of the suite's, measured on the device."""
    def one(contents, ending, flags):
        with Folder() as folder:
            folder.write(f"own/transpose/tiled.{ending}", contents)
            line = ["run", "transpose/tiled", "--size", "64x96", "--shaders", "own", "--profile", "quick", "--epochs", "1",
                    "--out", "r.csv", *flags]
            result = attacker.run("kernels", line, folder.path, timeout=180)
            if result.code == 0:
                attacker.tally.fault("other faults", f"kernels: {contents[:40]!r} passed")

    for contents in KERNELS:
        for ending, flags in [("wgsl", []), ("wgsl", ["--unchecked"]), ("cu", [])]:
            if ending == "wgsl":
                yield lambda contents=contents, ending=ending, flags=flags: one(contents, ending, flags)
