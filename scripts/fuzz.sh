#!/usr/bin/env bash
# Fuzzes the readers of reports and the writers of tables on one core, with stable Rust and without cargo-fuzz. Usage:
# scripts/fuzz.sh [SECONDS [TARGET…]] (600 seconds for each of csv, json and tables by default; FUZZ_RUNS=N ends a target
# after N inputs). The flags are those of cargo-fuzz without AddressSanitizer, which needs a nightly compiler and finds
# nothing in safe code.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
mapfile -t csv_reports < <(committed_reports .csv)
cd fuzz
seconds="${1:-600}"
shift || true
targets=("${@:-csv}")
(($# > 0)) || targets=(csv json tables)
target="$(rustc -vV | sed -n 's/^host: //p')"
export RUSTFLAGS="--cfg fuzzing -Ccodegen-units=1"
export FUZZ_FLAGS="-Cpasses=sancov-module"
for option in level=4 inline-8bit-counters pc-table trace-compares; do
    FUZZ_FLAGS+=" -Cllvm-args=-sanitizer-coverage-$option"
done
# Only own code, and generic code that it instantiates, is observed: dependencies would take half of the time. Build scripts
# do not link the fuzzer; cargo compiles them without --target.
built="$(realpath -m "${CARGO_TARGET_DIR:-../target}")"
mkdir -p "$built"
cat >"$built/rustc-fuzz" <<'END'
#!/bin/sh
case "$CARGO_PKG_NAME $*" in
    shaderbench*" --target "*) exec "$@" $FUZZ_FLAGS ;;
    *) exec "$@" ;;
esac
END
chmod +x "$built/rustc-fuzz"
RUSTC_WRAPPER="$built/rustc-fuzz" cargo build --profile fuzz --target "$target" --target-dir "$built"
mkdir -p corpus/csv corpus/json corpus/tables artifacts
for report in "${csv_reports[@]/#/../}"; do
    name="$(basename "$(dirname "$report")")-$(basename "$report")"
    head -n 4 "$report" >"corpus/csv/$name"
    # Rows from several families, so that tables and curves have more than one.
    awk 'NR == 1 || NR % 40 == 0 && ++rows < 8' "$report" >"corpus/tables/$name"
done
if command -v python3 >/dev/null; then
    python3 corpus.py ../results/llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv corpus
else
    echo "SKIPPED: python3 is not installed, so the corpus has no hostile reports"
fi
for name in "${targets[@]}"; do
    "$built/$target/fuzz/$name" "corpus/$name" -max_total_time="$seconds" \
        -runs="${FUZZ_RUNS:--1}" -artifact_prefix="artifacts/$name-" -print_final_stats=1 -max_len=8192
done
