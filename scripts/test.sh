#!/usr/bin/env bash
# All checks of a change on Linux: format, lints, documentation, dependencies, workflows and all tests, on a software
# device if there is no GPU.
# On two cores it takes 17 to 30 minutes the first time, and 7 to 15 with a warm build and Mesa's cache of kernels.
#   scripts/test.sh          every kernel, every planted fault and every check in a browser
#   scripts/test.sh --all    first README.md's first command, scripts/run.sh, in this clone; also tests that take minutes
#                            more and cover no other kernel: each kernel at all sizes with all its parameters, twins for
#                            all architectures, all families measured in a browser, 12 killed runs instead of 2, the
#                            first command in a bare Debian 12; installs cargo-deny (3 minutes)
# Every step runs, also after one that failed; the last lines name those that failed, and the exit code is 1.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
is_all=
case "${1:-}" in
    '') ;;
    --all) is_all=1 && export SHADERBENCH_ALL=1 WEB_TESTS=all KILLS="${KILLS:-12}" ;;
    *) echo "usage: scripts/test.sh [--all]" >&2; exit 2 ;;
esac
setup tools
export NODEVICE_SELECT=1 # Mesa's device-selection layer prints errors where there is no desktop session.
export RUSTDOCFLAGS="-D warnings"

# NVRTC, which compiles CUDA twins without a GPU or a driver: from Python's package, installed below cargo's target
# folder if Python has none. Without it those tests are skipped.
nvrtc() {
    python3 -c 'import nvidia.cu13' 2>/dev/null && return 0 # The tests find Python's package.
    local folder="${CARGO_TARGET_DIR:-$PWD/target}/nvrtc"
    if [ ! -e "$folder/nvidia/cu13/lib/libnvrtc.so.13" ]; then
        timeout --foreground 300 python3 -m pip install --quiet --disable-pip-version-check --retries 1 \
            --target "$folder" 'nvidia-cuda-nvrtc==13.*' 2>/dev/null ||
            echo "SKIPPED: python3 -m pip cannot install nvidia-cuda-nvrtc, so CUDA ports are not compiled"
    fi
    export NVRTC_LIB="$folder/nvidia/cu13/lib"
}

failed=()
trap 'exit 130' INT # A runner that catches Ctrl-C ends like one with failed tests.
step() {
    local start=$SECONDS
    printf '\n== %s\n' "$*"
    "$@" || failed+=("$*")
    echo "-- $((SECONDS - start)) s"
}

tree() { git status --porcelain 2>/dev/null || true; }
# Neither a run nor the tests leave files that git sees.
no_new_files() { diff <(echo "$tree") <(tree); }

tree=$(tree)
[ -z "$is_all" ] || step scripts/run.sh

step cargo fmt --all --check
# With the fuzz targets, which scripts/fuzz.sh runs; the page is compiled for a browser below.
step cargo clippy --locked --workspace --exclude shaderbench-web --all-targets -- -D warnings
step cargo clippy --locked --no-default-features -- -D warnings
step cargo doc --locked --no-deps --document-private-items
step scripts/dependencies.sh ${is_all:+--install}
step scripts/workflows.sh
step nvrtc
step setup_chromium
if cargo nextest --version >/dev/null 2>&1; then
    # Some tests wait for the clock: two threads more than cores.
    step cargo nextest run --locked --no-fail-fast --test-threads "$(($(nproc) + 2))" ${is_all:+--run-ignored all}
    step cargo test --locked --doc
else
    step cargo test --locked --no-fail-fast -- ${is_all:+--include-ignored}
fi
has_page=
! has_chromium || ! command -v npm >/dev/null || has_page=1
[ -n "$has_page" ] && [ -z "$is_all" ] || step scripts/web.sh --check
if [ -n "$has_page" ]; then
    step scripts/web.sh --test
else
    echo "SKIPPED: Chromium or npm is not installed (apt-get install chromium npm), so no page is tested in a browser"
fi
[ -z "$is_all" ] || step scripts/crates.sh
[ -z "$is_all" ] || step scripts/first-run.sh --cached
[ -z "$is_all" ] || step no_new_files
if [ "${#failed[@]}" -gt 0 ]; then
    printf '\n'
    printf 'FAILED: %s\n' "${failed[@]}"
    exit 1
fi
