#!/usr/bin/env bash
# Windows: runs every family through Direct3D 12 on WARP, Microsoft's software device, with one of the two shader
# compilers: scripts/warp.sh fxc|dxc [OPTIONS of run]. WARP and DXC come from Microsoft's packages, in fixed versions;
# both are only used here, and no part of a release. FXC is a part of Windows.
# On other systems the same run goes through the system's API, so that this script can be tried.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
compiler="${1:-}"
case "$compiler" in
    fxc | dxc) shift ;;
    *) echo "usage: scripts/warp.sh fxc|dxc [OPTIONS of run]" >&2; exit 2 ;;
esac
target="${CARGO_TARGET_DIR:-target}"
folder="$target/warp-$compiler"
python=$(find_python)

# A file of a package, beside the program.
take() { # PACKAGE VERSION FILE…
    local package="$1" version="$2" file
    shift 2
    if ! curl --fail --silent --show-error --location --retry 3 --max-time 300 --output "$folder/package.zip" \
        "https://www.nuget.org/api/v2/package/$package/$version"; then
        echo "SKIPPED: $package cannot be downloaded"
        return 1
    fi
    rm -rf "$folder/package"
    "$python" -m zipfile -e "$folder/package.zip" "$folder/package"
    for file; do cp "$folder/package/build/native/bin/x64/$file" "$folder"; done
    echo "$package $version"
}

mkdir -p "$folder"
case "$(uname -s)" in
    MINGW* | MSYS* | CYGWIN*)
        cargo build --release --locked --bin shaderbench
        cp "$target/release/shaderbench.exe" "$folder"
        take Microsoft.Direct3D.WARP 1.0.17 d3d10warp.dll || echo "note: using the WARP of this Windows"
        if [ "$compiler" = dxc ]; then take Microsoft.Direct3D.DXC 1.8.2505.32 dxcompiler.dll dxil.dll; fi
        rm -rf "$folder/package" "$folder/package.zip"
        export PROGRAM="$folder/shaderbench.exe" WGPU_DX12_COMPILER="$compiler"
        "$PROGRAM" devices --backend dx12 | tee "$folder/devices.txt"
        if ! grep -qi "shader compiler *$compiler" "$folder/devices.txt"; then
            echo "error: no device uses $compiler" >&2
            exit 1
        fi
        scripts/quick.sh --backend dx12 --device 'Microsoft Basic Render' --time 20m "$@"
        scripts/examples.sh --backend dx12 --device 'Microsoft Basic Render' --table none
        ;;
    *)
        echo "SKIPPED: this is not Windows, so neither WARP nor $compiler is used"
        scripts/quick.sh "$@"
        scripts/examples.sh --table none
        ;;
esac
