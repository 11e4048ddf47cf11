#!/usr/bin/env bash
# Everything that CI checks: formatting, lints, documentation, licences of dependencies, and all tests, on a software device where
# there is no GPU. On two idle cores it takes eight minutes at most, and fifteen where nothing is built.
#   scripts/test.sh          every kernel, every planted fault, every check in a browser
#   scripts/test.sh --all    also what takes minutes more and covers no other kernel: a dozen runs killed in place of two, and in a browser
#                            the own sizes of two families more
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
setup tools
export NODEVICE_SELECT=1 # Mesa's device-selection layer complains where there is no desktop session
export RUSTDOCFLAGS="-D warnings"

# Where NVRTC lies, which compiles CUDA twins without a GPU or a driver: in Python's package, which is put into cargo's folder where
# Python has none. Tests that need it skip where that fails.
nvrtc() {
    python3 -c 'import nvidia.cu13' 2>/dev/null && return 0 # the tests ask Python themselves
    local folder="${CARGO_TARGET_DIR:-$PWD/target}/nvrtc"
    if [ ! -e "$folder/nvidia/cu13/lib/libnvrtc.so.13" ]; then
        timeout 300 python3 -m pip install --quiet --disable-pip-version-check --retries 1 --target "$folder" 'nvidia-cuda-nvrtc==13.*' 2>/dev/null ||
            echo "SKIPPED: python3 -m pip cannot install nvidia-cuda-nvrtc: CUDA twins are not compiled"
    fi
    export NVRTC_LIB="$folder/nvidia/cu13/lib"
}

has_chromium() { [ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; }

case "${1:-}" in
    '') ;;
    --all) export WEB_TESTS=all KILLS="${KILLS:-12}" ;;
    *) echo "usage: scripts/test.sh [--all]" >&2; exit 2 ;;
esac

step() {
    local from=$SECONDS
    printf '\n== %s\n' "$*"
    "$@"
    echo "-- $((SECONDS - from)) s"
}

step cargo fmt --all --check
step cargo clippy --locked --all-targets -- -D warnings
step cargo clippy --locked --all-targets --no-default-features -- -D warnings
step cargo doc --locked --no-deps --document-private-items
if command -v cargo-deny >/dev/null; then
    step cargo deny --all-features check licenses bans sources
else
    echo "SKIPPED: cargo-deny is not installed (cargo install cargo-deny)"
fi
step nvrtc
step setup_chromium
if cargo nextest --version >/dev/null 2>&1; then
    # It runs tests of several programs beside each other. Some of them wait for the clock: one more than there are cores.
    step cargo nextest run --locked --no-fail-fast --test-threads "$(($(nproc) + 1))"
    step cargo test --locked --doc
else
    step cargo test --locked --no-fail-fast
fi
step scripts/web.sh --check
if ! has_chromium || ! command -v npm >/dev/null; then
    echo "SKIPPED: Chromium or npm is not installed (apt-get install chromium npm): the page is not built and tested"
else
    step scripts/web.sh --test
fi
