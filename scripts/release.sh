#!/usr/bin/env bash
# Makes the packages of a release in target/dist/packages: archives, .deb, wheels, npm packages, checksums, and files
# for Homebrew, winget, Scoop, AUR and the Phoronix Test Suite. Installs what is missing.
#   scripts/release.sh                  builds for every platform that this machine can build for, and packs
#   scripts/release.sh --build TARGET…  only the programs, in target/dist/programs
#   scripts/release.sh --ptx            only the CUDA kernels as PTX, target/dist/twins.ptx
#   scripts/release.sh --pack           only the packages, from the programs that are there
#   scripts/release.sh --twice TARGET…  builds and packs twice, in two folders, and compares every package (SECOND=DIR
#                                       keeps the second folder)
# The programs contain the CUDA kernels as PTX, made on Linux by examples/ptx.rs. SHADERBENCH_PTX names a file that was
# made before; where it is empty, the programs have none.
# The version is that of Cargo.toml. The address of the repository is REPOSITORY, or `repository` in Cargo.toml, or the
# https address of the git remote `origin`. The same hash needs the same Rust, zig and Python.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
# A path as compilers write it: with backslashes on Windows.
native() { if command -v cygpath >/dev/null; then cygpath -w "$1"; else echo "$1"; fi; }
root=$(native "$PWD")
# A dependency (ahash of rhai) draws random numbers while it is compiled, unless there is a seed.
export CONST_RANDOM_SEED=shaderbench
cargo_home=$(native "${CARGO_HOME:-$HOME/.cargo}")
target="${CARGO_TARGET_DIR:-$PWD/target}"
dist="$target/dist"
tools="${RELEASE_TOOLS:-$target/release-tools}"
ZIG=0.17.1 ZIGBUILD=0.24.0
GLIBC=2.17 # The oldest that Rust supports; Debian 11 has 2.31.
NVRTC=12.8.93 # A driver reads the PTX of its own CUDA and of older ones: the oldest that the program runs with.
why='' # Why a target is skipped.

default_targets() {
    case "$(uname -s)" in
        Linux) echo x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-pc-windows-gnu ;;
        Darwin) echo aarch64-apple-darwin x86_64-apple-darwin ;;
        *) echo x86_64-pc-windows-msvc ;;
    esac
}

# Rust's standard library for a target.
setup_std() { # TARGET
    [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ] && return 0
    why="rustup cannot install Rust's standard library for it"
    command -v rustup >/dev/null && timeout --foreground 300 rustup target add "$1" >&2
}

# zig as a linker: it links against the symbols of an old glibc, for either processor.
setup_zig() {
    export PATH="$tools/bin:$PATH" PYTHONPATH="$tools" CARGO_ZIGBUILD_ZIG_PATH="$tools/ziglang/zig"
    [ -x "$tools/bin/cargo-zigbuild" ] && [ -x "$tools/ziglang/zig" ] && return 0
    why="pip cannot install ziglang and cargo-zigbuild"
    timeout --foreground 600 python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
        --target "$tools" "ziglang==$ZIG" "cargo-zigbuild==$ZIGBUILD" >&2
}

setup_mingw() {
    command -v x86_64-w64-mingw32-gcc >/dev/null && return 0
    try_apt_install gcc-mingw-w64-x86-64
}

setup_target() { # TARGET
    why="it is built on a system of its own: see .github/workflows/release.yml"
    case "$1 $(uname -s)" in
        *-linux-gnu\ Linux) setup_std "$1" && setup_zig ;;
        *-windows-gnu\ Linux) setup_std "$1" && setup_mingw ;;
        *-darwin\ Darwin | *-windows-msvc\ MINGW* | *-windows-msvc\ MSYS*) setup_std "$1" ;;
        *) return 1 ;;
    esac
}

# Sets `ptx` to the file with the CUDA kernels; empty on macOS, which has no CUDA.
make_ptx() {
    ptx="${SHADERBENCH_PTX-}"
    [ -z "${SHADERBENCH_PTX+set}" ] && [ "$(uname -s)" != Darwin ] || return 0
    local folder="$tools/nvrtc-$NVRTC" made
    local library="$folder/nvidia/cuda_nvrtc/lib"
    if [ "$(uname -s)" != Linux ]; then
        echo "error: PTX is compiled on Linux: set SHADERBENCH_PTX to that file, or to nothing" >&2
        return 1
    fi
    if [ ! -e "$library/libnvrtc.so.12" ] && ! timeout --foreground 600 python3 -m pip install --quiet \
        --disable-pip-version-check --root-user-action ignore --target "$folder" "nvidia-cuda-nvrtc-cu12==$NVRTC" >&2; then
        echo "error: pip cannot install nvidia-cuda-nvrtc-cu12: set SHADERBENCH_PTX to a file of PTX, or to nothing" >&2
        return 1
    fi
    ptx="$dist/twins.ptx"
    mkdir -p "$dist"
    made=$(NVRTC_LIB="$library" cargo run --locked --quiet --example ptx -- "$ptx")
    echo "$made"
    case "$made" in
        *"NVRTC ${NVRTC%.*}:"*) ;;
        *) echo "error: the system's NVRTC was used in place of $NVRTC: remove it from the library path" >&2; return 1 ;;
    esac
    echo "PTX: SHA-256 $(checksum <"$ptx")"
}

build() { # TARGET
    # The last prefix that fits counts: the target folder may be outside of the checkout.
    local flags=("--remap-path-prefix=$root=/shaderbench" "--remap-path-prefix=$cargo_home=/cargo")
    flags+=("--remap-path-prefix=$(native "$target")=/shaderbench/target")
    local command=(build) suffix='' program
    case "$1" in
        *-linux-gnu) command=(zigbuild) suffix=".$GLIBC" ;;
        *-windows-gnu)
            export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
            flags+=('-Clink-arg=-Wl,--no-insert-timestamp')
            ;;
        *-windows-msvc) flags+=(-Ctarget-feature=+crt-static -Clink-arg=/Brepro) ;; # No other DLLs; no time stamp.
        *-darwin) export MACOSX_DEPLOYMENT_TARGET=11.0 ;;
    esac
    # Separated by a character that no path contains.
    SHADERBENCH_PTX="$ptx" CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${flags[*]}") \
        cargo "${command[@]}" --release --locked --bin shaderbench --target "$1$suffix"
    rm -rf "${dist:?}/programs/$1"
    mkdir -p "$dist/programs/$1"
    for program in "$target/$1/release/shaderbench" "$target/$1/release/shaderbench.exe"; do
        [ ! -e "$program" ] || cp "$program" "$dist/programs/$1/"
    done
}

# What an archive must not need or show.
inspect() { # TARGET
    local program newest
    program=$(echo "$dist/programs/$1"/*)
    if grep -aqF -e "$root" -e "$cargo_home" "$program"; then
        echo "error: $program contains paths of this machine" >&2
        return 1
    fi
    case "$1" in *-linux-gnu) ;; *) return 0 ;; esac
    command -v readelf >/dev/null || { echo "SKIPPED: readelf is not installed, so glibc is not checked"; return 0; }
    newest=$(readelf -V "$program" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
    echo "$1: needs ${newest/_/ }; $(readelf -d "$program" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | paste -sd ' ')"
    [ "$(printf '%s\n' "GLIBC_$GLIBC" "$newest" | sort -V | tail -1)" = "GLIBC_$GLIBC" ] && return 0
    echo "error: $1 needs a newer glibc than $GLIBC" >&2
    return 1
}

build_all() { # TARGET…
    local one start ptx
    make_ptx
    for one; do
        if ! setup_target "$one"; then
            echo "SKIPPED: $one: $why"
            continue
        fi
        start=$SECONDS
        build "$one"
        inspect "$one"
        echo "$one: built in $((SECONDS - start)) s, SHA-256 $(checksum <"$(echo "$dist/programs/$one"/*)")"
    done
}

checksum() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1; }

# Manual pages and completions, which are the same on every platform, from a program that runs here.
write_pages() {
    local program pages="$dist/pages"
    for program in "$dist"/programs/*/*; do
        chmod +x "$program"
        "$program" --version >/dev/null 2>&1 || continue
        rm -rf "$pages"
        mkdir -p "$pages/man" "$pages/completions"
        "$program" --generate man --out "$pages/man" >/dev/null
        "$program" --generate bash >"$pages/completions/shaderbench.bash"
        "$program" --generate zsh >"$pages/completions/_shaderbench"
        "$program" --generate fish >"$pages/completions/shaderbench.fish"
        "$program" --generate powershell >"$pages/completions/_shaderbench.ps1"
        return 0
    done
    echo "error: no program in $dist/programs runs here" >&2
    return 1
}

pack() {
    write_pages
    VERSION=$(package_field version) REPOSITORY=$(repository) PAGES="$dist/pages" PYTHONDONTWRITEBYTECODE=1 \
        SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) python3 packaging/pack.py "$dist/programs" "$dist/packages"
    echo "packages of $(git describe --always --dirty) by $(rustc --version): $dist/packages"
}

# The second build is that of a clone in another folder, with its own target folder.
twice() { # TARGET…
    local other clone
    if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
        echo "error: the work tree has changes: commit them first" >&2
        return 1
    fi
    if [ -n "${SECOND:-}" ]; then
        other="$SECOND"
    else
        other=$(mktemp -d)
        # shellcheck disable=SC2064 # The folder is known now.
        trap "rm -rf '$other'" EXIT
    fi
    clone="$other/a-longer-name-of-the-folder"
    rm -rf "$dist/programs"
    build_all "$@"
    pack
    [ -d "$clone" ] || git clone --quiet --no-local . "$clone"
    git -C "$clone" fetch --quiet origin HEAD
    git -C "$clone" reset --quiet --hard FETCH_HEAD
    REPOSITORY=$(repository)
    export REPOSITORY RELEASE_TOOLS="$tools" CARGO_TARGET_DIR="$clone/target"
    rm -rf "$CARGO_TARGET_DIR/dist"
    "$clone/scripts/release.sh" --build "$@"
    "$clone/scripts/release.sh" --pack >/dev/null
    diff -r "$dist/packages" "$CARGO_TARGET_DIR/dist/packages"
    echo "twice: $(find "$dist/packages" -type f | wc -l) files of two builds have the same contents:"
    cat "$dist/packages/SHA256SUMS"
}

case "${1:-}" in
    --build)
        shift
        build_all "$@"
        for one; do [ -e "$dist/programs/$one" ] || { echo "error: $one was not built" >&2; exit 1; }; done
        ;;
    --ptx) make_ptx ;;
    --pack) pack ;;
    --twice)
        shift
        # shellcheck disable=SC2046 # Targets are words.
        if (($# > 0)); then twice "$@"; else twice $(default_targets); fi
        ;;
    '')
        rm -rf "$dist/programs"
        # shellcheck disable=SC2046
        build_all $(default_targets)
        pack
        ;;
    *) echo "usage: scripts/release.sh [--build TARGET… | --ptx | --pack | --twice [TARGET…]]" >&2; exit 2 ;;
esac
