#!/usr/bin/env bash
# Everything that CI checks: formatting, lints, documentation, licences of dependencies, and all tests, on a software device where
# there is no GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
setup tools
export NODEVICE_SELECT=1 # Mesa's device-selection layer complains where there is no desktop session
export RUSTDOCFLAGS="-D warnings"

step() { printf '\n== %s\n' "$*"; "$@"; }

step cargo fmt --check
step cargo clippy --locked --all-targets -- -D warnings
step cargo clippy --locked --all-targets --no-default-features -- -D warnings
step cargo doc --locked --no-deps --document-private-items
if command -v cargo-deny >/dev/null; then
    step cargo deny --all-features check licenses bans sources
else
    echo "SKIPPED: cargo-deny is not installed (cargo install cargo-deny)"
fi
step cargo test --locked --no-fail-fast
