#!/usr/bin/env bash
# Attacks the program with hostile reports, paths, arguments and kernels, and prints what gave way. Takes about 15
# minutes on two cores. Usage: scripts/attack.sh [--count N] [--seed N] [--only reports|arguments|kernels|own|running|orders|files]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
setup
cargo build --locked --release
exec python3 tests/attack/attack.py --program "${CARGO_TARGET_DIR:-target}/release/shaderbench" "$@"
