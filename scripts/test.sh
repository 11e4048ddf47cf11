#!/usr/bin/env bash
# Everything that CI checks: formatting, lints, documentation, licences of dependencies, and all tests, on a software device where
# there is no GPU.
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

step() { printf '\n== %s\n' "$*"; "$@"; }

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
step cargo test --locked --no-fail-fast
step scripts/web.sh --check
# A machine that has nothing yet takes long to build tools, program and page: CI has 25 minutes in all.
if ! has_chromium || ! command -v npm >/dev/null; then
    echo "SKIPPED: Chromium or npm is not installed (apt-get install chromium npm): the page is not built and tested"
elif ((SECONDS > 840)); then
    echo "SKIPPED: all before took $((SECONDS / 60)) minutes: test the page by scripts/web.sh --test"
else
    page=0 minutes=9
    # Where there is time, every kernel, and four families at the sizes of `quick`.
    if ((SECONDS <= 600)); then
        export WEB_TESTS="${WEB_TESTS:-all}"
        minutes=13
    fi
    step timeout "${minutes}m" scripts/web.sh --test || page=$?
    if ((page == 124)); then
        echo "SKIPPED: the page was not built and tested within $minutes minutes: scripts/web.sh --test takes its time"
    elif ((page != 0)); then
        exit "$page"
    fi
fi
