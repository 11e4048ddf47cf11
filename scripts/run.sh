#!/usr/bin/env bash
# Installs what is missing, builds in release mode, and runs shaderbench with the given arguments:
#   scripts/run.sh --profile quick        scripts/run.sh devices
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
setup
exec cargo run --release --locked --quiet -- "$@"
