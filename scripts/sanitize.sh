#!/usr/bin/env bash
# Runs every CUDA twin at small and odd sizes under NVIDIA's compute-sanitizer: memcheck (accesses outside of buffers) and racecheck (shared
# memory without a barrier where one is needed). workgroup_memory/same_word races on purpose, and is left out of racecheck.
# Usage: scripts/sanitize.sh [BENCHMARK…]. GPU_TESTS names the test program where there is no cargo, SECONDS_EACH how long one benchmark
# may take (150), JOBS how many run at a time (as many as there are processors).
set -euo pipefail
cd "$(dirname "$0")/.."
command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer was not found: it comes with the CUDA toolkit" >&2; exit 1; }
tests="${GPU_TESTS:-}"
if [ -z "$tests" ]; then
    tests=$(cargo test --no-run --test suite --message-format=json 2>/dev/null | grep -o '"executable":"[^"]*"' | tail -1 | cut -d'"' -f4)
fi
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

check() {
    local tool=$1 name=$2 log="$logs/$1.${2/\//.}"
    local started=$SECONDS status=0
    SHADERBENCH_ONLY=$name timeout "${SECONDS_EACH:-150}" compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 9 \
        "$tests" --exact --nocapture gpu::every_twin_is_right_at_small_and_odd_sizes_and_stays_within_its_buffers >"$log" 2>&1 || status=$?
    case $status in
        0) echo "clean" ;;
        124) echo "did not finish in ${SECONDS_EACH:-150} s" ;;
        *) grep -m 3 -E '=========.*(Error|Invalid|hazard)|panicked' "$log" | tr '\n' ' ' | grep . || tail -3 "$log" ;;
    esac | sed "s|^|$tool $name ($((SECONDS - started)) s): |"
}
export -f check
export logs tests

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for file in shaders/*/*.cu; do
        name=${file#shaders/}
        names+=("${name%.cu}")
    done
fi
for tool in memcheck racecheck; do
    for name in "${names[@]}"; do
        [ "$tool $name" = "racecheck workgroup_memory/same_word" ] || echo "$tool $name"
    done
done | xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c 'check "$0" "$1"' | tee "$logs/all"
clean=$(grep -c ': clean$' "$logs/all" || true)
total=$(wc -l <"$logs/all")
echo "$clean of $total clean"
[ "$clean" -eq "$total" ]
