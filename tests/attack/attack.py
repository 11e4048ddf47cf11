#!/usr/bin/env python3
"""Attacks the program with hostile reports, paths, arguments, environments and kernels, and counts what gives way.

Every input is generated. Groups that measure need a device; a software device will do. Exits with 1 if anything gives
way. `scripts/attack.sh` builds the program and calls this.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import command_line
import files
import own_kernels
import reports
from harness import Attacker, Tally, unlimited_files

ROOT = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/shaderbench")
    parser.add_argument("--count", type=int, default=4000, help="random inputs of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4, help="processes side by side, for what measures nothing")
    parser.add_argument("--only", choices=["reports", "arguments", "kernels", "own", "running", "orders", "files"])
    parser.add_argument("--corpus", type=Path, help="write small hostile reports there, for a fuzzer, and stop")
    options = parser.parse_args()
    unlimited_files()
    tally = Tally()
    attacker = Attacker(options.program.resolve(), tally)
    source = ROOT / "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv"
    if options.corpus:
        reports.write_corpus(source, options.corpus)
        return 0
    groups = {
        "reports": lambda: [*reports.attack(attacker, source, options.count, options.seed), lambda: reports.paths(attacker, source)],
        "arguments": lambda: [*command_line.arguments(attacker, options.count, options.seed), *command_line.environments(attacker)],
        "kernels": lambda: list(command_line.kernels(attacker)),
        "own": lambda: list(own_kernels.attack(attacker, options.count, options.seed)),
        "running": lambda: list(own_kernels.measured(attacker, options.count, options.seed)),
        "orders": lambda: list(command_line.orders(attacker, options.count, options.seed)),
        "files": lambda: files.attack(attacker),
    }
    for name, make in groups.items():
        if options.only not in (None, name):
            continue
        print(f"{name} …", file=sys.stderr, flush=True)
        # What measures runs alone: its time-outs mean something.
        jobs = options.jobs if name in ("reports", "arguments", "own") else 1
        with ThreadPoolExecutor(jobs) as pool:
            for done in [pool.submit(attack) for attack in make()]:
                done.result()
    for line in tally.details():
        print(line)
    print(tally.summary())
    return 0 if tally.is_clean() else 1


if __name__ == "__main__":
    sys.exit(main())
