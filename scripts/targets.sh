#!/usr/bin/env bash
# Checks, without warnings, that the program compiles for the systems that this one is not: macOS, Windows and Android.
# Nothing is linked, so no linker or SDK of theirs is needed.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v rustup >/dev/null; then
    echo "SKIPPED: rustup, which provides the standard libraries of other systems, is not installed"
    exit 0
fi
export RUSTFLAGS="${RUSTFLAGS:-} -D warnings" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/targets"
for target in aarch64-apple-darwin x86_64-pc-windows-gnu aarch64-pc-windows-msvc aarch64-linux-android; do
    timeout --foreground 600 rustup target add "$target" >&2
    cargo check --locked --target "$target" --bin shaderbench
    echo "targets: compiles for $target"
done
