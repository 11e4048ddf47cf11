#!/usr/bin/env bash
# macOS: compiles every kernel's MSL by `xcrun metal`, then runs every family through Metal. Takes options of `run`;
# PROGRAM names an existing program. On other systems the MSL is written but not compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
target="${CARGO_TARGET_DIR:-$PWD/target}"
release_program
folder="$target/msl"
rm -rf "$folder"
mkdir -p "$folder"

# Since Xcode 26 the compiler is a component of its own.
has_metal() {
    command -v xcrun >/dev/null || return 1
    xcrun metal --version >/dev/null 2>&1 && return 0
    xcodebuild -downloadComponent MetalToolchain >/dev/null 2>&1 && xcrun metal --version >/dev/null 2>&1
}

# One file for each benchmark, type and setting of the run-time checks that Metal can express.
write_msl() {
    local name dtype checks file why=''
    while read -r name dtype; do
        for checks in off on; do
            file="${name//\//__}.${dtype//[<>]/_}.$checks.metal"
            if ! why=$("$PROGRAM" show "$name" --lang msl --dtype "$dtype" --checks "$checks" --out "$folder/$file" \
                2>&1 >/dev/null </dev/null); then
                echo "not on Metal: $name $dtype: ${why#error: }"
            fi
        done
    done
}

"$PROGRAM" list --format json | python3 -c '
import json, sys
for one in json.load(sys.stdin):
    if "metal" in one["backends"]:
        for dtype in one["dtypes"]:
            print(one["family"] + "/" + one["benchmark"], dtype)' | write_msl | sort -u | tee "$folder/refused.txt"
files=("$folder"/*.metal)
echo "msl: ${#files[@]} outputs, $(wc -l <"$folder/refused.txt") benchmarks and types refused"
if has_metal; then
    xcrun metal --version | head -1
    rejected=0
    for file in "${files[@]}"; do
        xcrun metal -c -Wno-unused-variable -o /dev/null "$file" && continue
        rejected=$((rejected + 1))
        echo "rejected: $file"
    done
    echo "msl: ${#files[@]} outputs, $rejected rejected"
    [ "$rejected" -eq 0 ]
    scripts/quick.sh --backend metal --time 10m "$@"
    scripts/examples.sh --backend metal --table none
else
    [ "$(uname -s)" != Darwin ] || { echo "error: there is no xcrun metal" >&2; exit 1; }
    echo "SKIPPED: this is not macOS, so Apple's compiler does not compile MSL, and nothing runs through Metal"
    scripts/quick.sh "$@"
    scripts/examples.sh --table none
fi
