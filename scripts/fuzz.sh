#!/usr/bin/env bash
# Fuzzes the CSV reader on one core, with stable Rust and without cargo-fuzz. Usage: scripts/fuzz.sh [SECONDS] (600 by
# default). The flags are those of cargo-fuzz without AddressSanitizer, which needs a nightly compiler and finds nothing
# in safe code.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
target="$(rustc -vV | sed -n 's/^host: //p')"
export RUSTC_BOOTSTRAP=1
flags=(--cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module)
for option in level=4 inline-8bit-counters pc-table trace-compares; do
    flags+=("-Cllvm-args=-sanitizer-coverage-$option")
done
export RUSTFLAGS="${flags[*]}"
cargo build --release --target "$target" # With a target, build scripts do not get these flags.
mkdir -p corpus/csv artifacts
for report in ../results/*/*.csv; do
    head -n 4 "$report" >"corpus/csv/$(basename "$(dirname "$report")")-$(basename "$report")"
done
exec "${CARGO_TARGET_DIR:-target}/$target/release/csv" corpus/csv -max_total_time="${1:-600}" \
    -artifact_prefix=artifacts/ -print_final_stats=1 -max_len=4096
