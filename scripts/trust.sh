#!/usr/bin/env bash
# The error rates of verdicts on this machine: runs the same build RUNS times (6). Prints on how many rows single runs,
# and halves of all runs, seem faster or slower though nothing changed, on how many rows a planted slow-down of 3 % is
# found, and how often the intervals of ratios hold 1 (docs/method.md).
# Usage: scripts/trust.sh [arguments of `run`], as in `RUNS=6 scripts/trust.sh --backend all --profile quick`. PROGRAMS
# names a folder with `shaderbench` and `noise` that are already built; REPORTS the folder of the reports (by default a
# temporary one).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
programs_and_reports noise
for run in $(seq "${RUNS:-6}"); do
    code=0
    report="$reports/run$run"
    "$programs/shaderbench" run "$@" --out "$report.csv" --json "$report.json" --force >/dev/null 2>"$report.txt" ||
        code=$?
    # 3: some rows are wrong, failed or implausible. `noise` leaves them out.
    if ((code == 3)); then
        echo "run $run: $(tail -1 "$report.txt")" >&2
    elif ((code != 0)); then
        tail -1 "$report.txt" >&2
        exit 1
    fi
done
files=$(seq -f "$reports/run%g.json" "${RUNS:-6}")
# shellcheck disable=SC2086 # one word per file
"$programs/noise" same $files
# shellcheck disable=SC2086
"$programs/noise" planted $files
# shellcheck disable=SC2086
"$programs/noise" coverage $files
echo "reports: $reports"
