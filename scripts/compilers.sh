#!/usr/bin/env bash
# Compares compilers from WGSL to SPIR-V on this device: naga 27 to 30, each as its command line and with wgpu's options for
# kernels without run-time checks, spirv-opt -O, and tint.
#   scripts/compilers.sh --build             installs the compilers below target/compilers, and nothing else
#   scripts/compilers.sh --translate [OPTION|FILTER]…  fills tint-cache with the kernels of these cases, and runs none
#   scripts/compilers.sh [OPTION|FILTER]…    then runs the suite with the profile quick; options and filters are those of
#                                            `shaderbench run`: transpose reduction --device 1 --time 200s
# LANES selects compilers by name: LANES="naga spirv-opt bare-27 bare-30". COMPILERS names a folder with the compilers,
# PROGRAMS one with `shaderbench`, both already built; REPORTS the folder of the report (by default target/compilers).
# The compiler `tint` keeps what it translates in tint-cache beside it, so that another machine needs no Dawn.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
bin="${COMPILERS:-$target/compilers/bin}"
versions=(27.0 28.0 29.0 30.0)

build() {
    mkdir -p "$bin"
    local version major
    for version in "${versions[@]}"; do
        major=${version%%.*}
        if [ ! -e "$bin/naga-$major" ]; then
            CARGO_TARGET_DIR="$target/compilers/cargo" \
                cargo install naga-cli --version "~$version" --locked --root "$target/compilers/$major"
            install -s "$target/compilers/$major/bin/naga" "$bin/naga-$major"
        fi
        [ -e "$bin/bare-$major" ] || build_bare "$version" "$major"
    done
    [ -e "$bin/tint" ] || build_tint
}

# tint inside Dawn, which npm has as a library for node.
build_tint() {
    local program
    for program in node npm spirv-as sha256sum; do
        command -v "$program" >/dev/null && continue
        echo "tint is left out: $program is not on the PATH" >&2
        return
    done
    npm install --silent --prefix "$target/compilers/dawn" webgpu@0.6
    cp scripts/reference/tint.mjs "$bin"
    mkdir -p "$bin/tint-cache"
    cat >"$bin/tint" <<SH
#!/bin/sh
# tint IN.wgsl OUT.spv, or a copy of what it wrote for the same IN.wgsl before.
here=\$(dirname "\$0")
if [ "\$1" = --version ]; then
    cat "\$here/tint-cache/version" && exit
fi
known=\$here/tint-cache/\$(sha256sum <"\$1" | cut -c1-32).spv
[ -e "\$known" ] || { DAWN="\${DAWN:-$target/compilers/dawn}" node "\$here/tint.mjs" "\$1" "\$2" && cp "\$2" "\$known"; } || exit
cp "\$known" "\$2"
SH
    chmod +x "$bin/tint"
    DAWN="$target/compilers/dawn" node "$bin/tint.mjs" --version >"$bin/tint-cache/version"
}

# scripts/reference/naga_bare.rs with one version of naga.
build_bare() {
    local folder="$target/compilers/bare-$2"
    mkdir -p "$folder/src"
    cp scripts/reference/naga_bare.rs "$folder/src/main.rs"
    cat >"$folder/Cargo.toml" <<TOML
[package]
name = "bare-$2"
version = "0.0.0"
edition = "2021"

[dependencies]
naga = { version = "~$1", features = ["wgsl-in", "spv-out"] }

[lints.rust]
unexpected_cfgs = "allow"

[workspace]
TOML
    local found flags=
    [ "$2" -lt 30 ] || flags="--cfg has_int_div_checks"
    (
        cd "$folder"
        cargo generate-lockfile --quiet
        found=$(cargo tree --locked --quiet --depth 1 --prefix none | sed -n 's/^naga v\([^ ]*\).*/\1/p')
        NAGA_VERSION=$found RUSTFLAGS=$flags CARGO_TARGET_DIR="$target/compilers/cargo" \
            cargo build --release --locked
    )
    install -s "$target/compilers/cargo/release/bare-$2" "$bin/bare-$2"
}

[ -n "${COMPILERS:-}" ] || build
if [ "${1:-}" = --build ]; then
    ls -l "$bin"
    exit
fi

translates=
if [ "${1:-}" = --translate ]; then
    translates=yes
    shift
fi
options=()
lane() {
    [ -z "${LANES:-}" ] || [[ " $LANES " == *" ${1%%=*} "* ]] || return 0
    options+=(--compiler "$1")
}
lane naga
if command -v spirv-opt >/dev/null; then
    lane "spirv-opt=naga | spirv-opt -O {in} -o {out}"
else
    echo "spirv-opt is left out: it is not on the PATH (apt-get install spirv-tools)" >&2
fi
if [ -e "$bin/tint" ]; then
    lane "tint=$bin/tint {webgpu} {out}"
fi
for version in "${versions[@]}"; do
    lane "bare-${version%%.*}=$bin/bare-${version%%.*} {in} {out}"
done
# naga-cli 27 writes SPIR-V 1.0 only, which has no subgroup operations.
lane "cli-27=$bin/naga-27 {in} {out}"
for version in "${versions[@]:1}"; do
    lane "cli-${version%%.*}=$bin/naga-${version%%.*} --spirv-version 1.3 {in} {out}"
done

if [ -n "${PROGRAMS:-}" ]; then
    program=("$PROGRAMS/shaderbench")
else
    cargo build --release --locked
    program=("$target/release/shaderbench")
fi
reports="${REPORTS:-$target/compilers}"
mkdir -p "$reports"
if [ -n "$translates" ]; then
    # A compiler that fails ends its case before anything is allocated or compiled by the driver.
    printf '#!/bin/sh\n"%s" "$@" && [ "$1" != --version ] && echo translated && exit 1\n' "$bin/tint" >"$bin/translated"
    chmod +x "$bin/translated"
    "${program[@]}" run --profile quick --compiler "tint=$bin/translated {webgpu} {out}" --table none --force \
        --out "$reports/translated.csv" "$@" >/dev/null 2>&1 || [ $? -eq 3 ]
    echo "$(find "$bin/tint-cache" -name '*.spv' | wc -l) kernels in $bin/tint-cache"
    exit
fi
code=0
"${program[@]}" run --profile quick "${options[@]}" --table none --format markdown --force \
    --out "$reports/compilers.csv" "$@" >"$reports/compilers.md" || code=$?
cat "$reports/compilers.md"
# Wrong and failed rows are results here.
[ "$code" -eq 0 ] || [ "$code" -eq 3 ] || exit "$code"
echo "report: $reports/compilers.csv, table: $reports/compilers.md"
