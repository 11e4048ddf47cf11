#!/usr/bin/env bash
# Installs what is missing, builds in release mode, and runs shaderbench with the given arguments:
#   scripts/run.sh --profile quick        scripts/run.sh devices
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
setup
program="${CARGO_TARGET_DIR:-target}/release/shaderbench"
[ -x "$program" ] || echo "building shaderbench from source: about five minutes on two cores, the first time only" >&2
cargo build --release --locked --bin shaderbench
exec "$program" "$@"
