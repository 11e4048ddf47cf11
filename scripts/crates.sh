#!/usr/bin/env bash
# Makes the packages for crates.io in target/crates/target/package, from a copy of the files that git tracks: there the crate
# of the kernels contains `shaders`, each crate the licences, and the program the hash of all sources.
#   scripts/crates.sh               builds each package from its files alone
#   scripts/crates.sh --no-verify   makes them without building them
set -euo pipefail
cd "$(dirname "$0")/.."
copy="${CARGO_TARGET_DIR:-$PWD/target}/crates"
unset CARGO_TARGET_DIR
find "$copy" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} + 2>/dev/null || mkdir -p "$copy"
git ls-files -z | tar -c --null -T - | tar -x -C "$copy"
rustc --edition 2024 -o "$copy/name-build" build.rs
"$copy/name-build" | sed -n 's/.*SHADERBENCH_BUILD=//p' >"$copy/build.hash"
cp -r shaders "$copy/src/kernels"
for crate in record kernels gpu answers; do cp LICENSE-* "$copy/src/$crate"; done
cd "$copy"
rm name-build
cargo package --workspace --exclude shaderbench-web --exclude shaderbench-bindgen --exclude shaderbench-fuzz \
    --locked --allow-dirty "$@"
ls -l target/package/*.crate
