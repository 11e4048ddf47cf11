#!/usr/bin/env bash
# Checks that everything compiles with the oldest Rust that Cargo.toml promises (`rust-version`).
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if ! command -v rustup >/dev/null; then
    echo "SKIPPED: rustup is not installed, so Rust $version is not tested; this is $(rustc --version)"
    exit 0
fi
# An installed release of this version, such as 1.95.0, is as good.
toolchain=$(rustup toolchain list | sed -n "s/^\($version\.[0-9]*\)-.*/\1/p" | tail -1)
if [ -z "$toolchain" ]; then
    toolchain="$version"
    timeout --foreground 600 rustup toolchain install "$toolchain" --profile minimal >&2
fi
cargo "+$toolchain" --version
cargo "+$toolchain" check --locked --all-targets
cargo "+$toolchain" check --locked --no-default-features
echo "msrv: compiles with Rust $version"
