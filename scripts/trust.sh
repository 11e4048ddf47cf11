#!/usr/bin/env bash
# What verdicts are worth on this machine: runs the same build RUNS times (6), and prints on how many rows single runs and halves of all runs
# seem faster or slower though nothing changed, and on how many a planted slow-down of 3 % is found (docs/trust.md).
# Usage: scripts/trust.sh [arguments of `run`], as in `RUNS=6 scripts/trust.sh --backend all --profile quick`. PROGRAMS names a folder with
# `shaderbench` and `noise` where there is no cargo; reports stay in REPORTS (a temporary folder).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
programs_and_reports noise
for run in $(seq "${RUNS:-6}"); do
    code=0
    "$programs/shaderbench" run "$@" --out "$reports/run$run.csv" --json "$reports/run$run.json" --force >/dev/null 2>"$reports/run$run.txt" || code=$?
    # 3: some rows are wrong, failed or implausible, and left out below; the others count.
    if ((code == 3)); then
        echo "run $run: $(tail -1 "$reports/run$run.txt")" >&2
    elif ((code != 0)); then
        tail -1 "$reports/run$run.txt" >&2
        exit 1
    fi
done
files=$(seq -f "$reports/run%g.json" "${RUNS:-6}")
# shellcheck disable=SC2086 # one word a file
"$programs/noise" same $files
# shellcheck disable=SC2086
"$programs/noise" planted $files
echo "reports: $reports"
