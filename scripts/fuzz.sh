#!/usr/bin/env bash
# Fuzzes the CSV reader for the given number of seconds (default 600) on one core, on stable Rust and without cargo-fuzz:
#   scripts/fuzz.sh 600
# The flags are those of cargo-fuzz, but for AddressSanitizer, which needs a nightly compiler and finds nothing in safe code.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
target="$(rustc -vV | sed -n 's/^host: //p')"
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="--cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
cargo build --release --target "$target" # named, so that build scripts are built without these flags
mkdir -p corpus/csv artifacts
for report in ../results/*/*.csv; do
    head -n 4 "$report" >"corpus/csv/$(basename "$(dirname "$report")")-$(basename "$report")"
done
exec "${CARGO_TARGET_DIR:-target}/$target/release/csv" corpus/csv -max_total_time="${1:-600}" -artifact_prefix=artifacts/ -print_final_stats=1 -max_len=4096
