#!/usr/bin/env bash
# Makes the packages for crates.io in target/crates/target/package, from a copy of the files that git tracks: there the crate
# of the kernels contains `shaders`, each crate the licences and the address of the repository, and the program the hash of
# all sources. Then runs the tests of the unpacked packages, as a distribution does.
#   scripts/crates.sh          makes and tests them
#   scripts/crates.sh --pack   only makes them
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
case "${1:-}" in
    '' | --pack) ;;
    *) echo "usage: scripts/crates.sh [--pack]" >&2; exit 2 ;;
esac
LIMIT=2000000 # bytes of all packages
setup
copy="${CARGO_TARGET_DIR:-$PWD/target}/crates"
unset CARGO_TARGET_DIR
version=$(package_field version)
repository=$(repository)
find "$copy" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} + 2>/dev/null || mkdir -p "$copy"
git ls-files -z | tar -c --null -T - | tar -x -C "$copy"
rustc --edition 2024 -o "$copy/name-build" build.rs
"$copy/name-build" | sed -n 's/.*SHADERBENCH_BUILD=//p' >"$copy/build.hash"
cp -r shaders "$copy/src/kernels"
for crate in record kernels gpu answers; do cp LICENSE-* "$copy/src/$crate"; done
cd "$copy"
rm -rf name-build target/package
if python=$(find_python); then
    "$python" packaging/readme.py "$repository" "$version" <README.md >README.new && mv README.new README.md
else
    echo "SKIPPED: Python is not installed, so the links of README.md stay relative"
fi
[ -z "$repository" ] || sed -i "/^repository/d; s,^license.workspace = true,&\nrepository = \"$repository\"," Cargo.toml src/*/Cargo.toml
cargo package --workspace --exclude shaderbench-web --exclude shaderbench-bindgen --exclude shaderbench-fuzz \
    --locked --allow-dirty --no-verify
ls -l target/package/*.crate
size=$(cat target/package/*.crate | wc -c)
echo "crates: $size bytes"
[ "$size" -le "$LIMIT" ] || { echo "error: larger than $LIMIT bytes" >&2; exit 1; }
[ -z "${1:-}" ] || exit 0

# A workspace of the unpacked packages, with the versions and the optimisation of this one.
mkdir unpacked
for crate in target/package/*.crate; do tar -xzf "$crate" -C unpacked; done
cp Cargo.lock unpacked
{
    printf '[workspace]\nresolver = "3"\nmembers = ["shaderbench*"]\n\n[patch.crates-io]\n'
    for crate in -record -kernels -gpu -answers; do
        echo "shaderbench$crate = { path = \"shaderbench$crate-$version\" }"
    done
    sed -n '/^\[profile\.dev/,/^\[profile\.release/p' Cargo.toml | grep -v '^\[profile\.release'
} >unpacked/Cargo.toml
cd unpacked
GIT_CEILING_DIRECTORIES="$PWD" CARGO_TARGET_DIR="$copy/target" cargo test --workspace --no-fail-fast
