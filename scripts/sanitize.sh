#!/usr/bin/env bash
# Runs every CUDA twin at small and odd sizes under NVIDIA's compute-sanitizer: memcheck (accesses outside of buffers)
# and racecheck (races in shared memory). workgroup_memory/same_word has an intended race: racecheck leaves it out.
# Usage: scripts/sanitize.sh [BENCHMARK…]. GPU_TESTS names a test program that is already built, SECONDS_EACH the time
# limit of one benchmark (150), JOBS the number of benchmarks at a time (by default one per core).
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v compute-sanitizer >/dev/null; then
    echo "error: compute-sanitizer is not on the PATH: install the CUDA toolkit" >&2
    exit 1
fi
test=gpu::every_twin_is_right_at_small_sizes_and_stays_within_its_buffers
tests="${GPU_TESTS:-}"
if [ -z "$tests" ]; then
    tests=$(cargo test --locked --no-run --test suite --message-format=json 2>/dev/null |
        grep '"kind":\["test"\]' | grep -o '"executable":"[^"]*"' | tail -1 | cut -d'"' -f4)
fi
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

check() {
    local tool=$1 name=$2 log="$logs/$1.${2/\//.}"
    local start=$SECONDS status=0
    SHADERBENCH_ONLY=$name timeout --foreground "${SECONDS_EACH:-150}" compute-sanitizer --tool "$tool" \
        --report-api-errors no --error-exitcode 9 "$tests" --exact --nocapture "$test" >"$log" 2>&1 || status=$?
    case $status in
        0) echo "clean" ;;
        124) echo "did not finish in ${SECONDS_EACH:-150} s" ;;
        *) grep -m 3 -E '=========.*(Error|Invalid|hazard)|panicked' "$log" | tr '\n' ' ' | grep . || tail -3 "$log" ;;
    esac | sed "s|^|$tool $name ($((SECONDS - start)) s): |"
}
export -f check
export logs test tests

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
