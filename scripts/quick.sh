#!/usr/bin/env bash
# Builds the program and measures the headline sizes of every family. Fails if a row is failed or wrong, or if no row is
# ok, and prints how many rows have each status. Takes the options of `run`; PROGRAM names an existing program:
#   scripts/quick.sh --backend vulkan          scripts/quick.sh reduction --time 60s
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
target="${CARGO_TARGET_DIR:-target}"
release_program
mkdir -p "$target/quick"
json="$target/quick/quick.json"
rm -f "$json"
"$PROGRAM" --version
status=0
"$PROGRAM" run --profile quick --fail-on failed,wrong --force --out "$target/quick/quick.csv" --json "$json" "$@" ||
    status=$?
[ -e "$json" ] || exit "$status"
if ! python=$(find_python); then
    echo "SKIPPED: Python is not installed, so rows are not counted"
    exit "$status"
fi
PYTHONUTF8=1 "$python" - "$json" <<'PY'
import collections, json, sys
rows = json.load(open(sys.argv[1], encoding="utf-8"))
count = collections.Counter(row["status"] for row in rows)
for device in sorted({f'{row["device"]}, {row["driver"]}, {row["backend"]}' for row in rows}):
    print(f"quick: {device}")
print("quick: " + ", ".join(f"{number} {status}" for status, number in sorted(count.items())))
for row in rows:
    if row["status"] in ("failed", "wrong"):
        print(f'{row["status"]}: {row["family"]}/{row["benchmark"]} {row["dtype"]} {row["n"]}: {row["reason"]}')
sys.exit(0 if count["ok"] else "error: no row is ok")
PY
exit "$status"
