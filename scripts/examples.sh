#!/usr/bin/env bash
# Measures and verifies the kernels of examples/kernels with `bench`, as users do with kernels of their own: all run-time
# checks are on. Fails if a row is failed or wrong. Takes the options of `bench`; PROGRAM names an existing program.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
folder="${CARGO_TARGET_DIR:-target}/examples-of-bench"
release_program
mkdir -p "$folder"
count=0
for file in examples/kernels/*.toml; do
    name=$(basename "$file" .toml)
    "$PROGRAM" bench "$file" --profile quick --fail-on failed,wrong --force --out "$folder/$name.csv" "$@"
    count=$((count + 1))
done
echo "examples: $count files measured, no row failed or wrong"
