#!/usr/bin/env bash
# Runs the quick profile on small and odd devices, which are software here. Fails if a row is failed or wrong, or none is
# ok. Installs what is missing, Chromium on Debian for SwiftShader.
#   scripts/small-devices.sh                        everything
#   scripts/small-devices.sh swiftshader|limits|subgroups…   these steps only
#     swiftshader    256 invocations per workgroup, 10 storage buffers per kernel, subgroups of 4, no f16, no f64
#     limits         llvmpipe with 16 KiB of workgroup memory, 256 invocations, bindings of 128 MiB; then also without
#                    subgroups, f16, f64, timestamps and mappable buffers
#     subgroups      llvmpipe with subgroups of 4
# SWIFTSHADER names the JSON file of that driver, PROGRAM and EXAMPLE existing programs (shaderbench, and the example
# small_device). SECONDS_EACH (600) is the time limit of each run.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
SWIFTSHADER="${SWIFTSHADER:-/usr/lib/chromium/vk_swiftshader_icd.json}"
SECONDS_EACH="${SECONDS_EACH:-600}"
export NODEVICE_SELECT=1 # Mesa's device-selection layer prints errors where there is no desktop session.
failures=0

# NAME PROGRAM ARGUMENT…: the lines of the run that count rows, and how long it took.
step() {
    local name="$1" start=$SECONDS status=0 log
    shift
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    grep -E '^(quick|small_device|failed|wrong|implausible): |^  [0-9]+ skipped|bytes a workgroup' "$log" | sed "s/^/$name: /" || true
    echo "$name: $((SECONDS - start)) s"
    if [ "$status" -ne 0 ]; then
        echo "FAILED: $name ended with $status: $(grep -v XDG_RUNTIME "$log" | tail -3)"
        failures=$((failures + 1))
    fi
    rm -f "$log"
}

quick() { # NAME [OPTIONS of run]
    local name="$1"
    shift
    step "$name" scripts/quick.sh --backend vulkan --time "${SECONDS_EACH}s" --table none "$@"
}

swiftshader() {
    [ -e "$SWIFTSHADER" ] || setup_chromium
    if [ ! -e "$SWIFTSHADER" ]; then
        echo "SKIPPED: $SWIFTSHADER does not exist: install Debian's chromium, or set SWIFTSHADER"
        return 0
    fi
    VK_DRIVER_FILES="$SWIFTSHADER" quick swiftshader
}

limits() {
    local example="${EXAMPLE:-}" small=(--invocations 256 --workgroup-bytes 16384 --binding-mib 128 --seconds "$SECONDS_EACH")
    if [ -z "$example" ]; then
        cargo build --release --locked --quiet --example small_device
        example="${CARGO_TARGET_DIR:-$PWD/target}/release/examples/small_device"
    fi
    WGPU_BACKEND=vulkan step limits "$example" "${small[@]}"
    WGPU_BACKEND=vulkan step bare "$example" "${small[@]}" --bare
}

subgroups() { LP_NATIVE_VECTOR_WIDTH=128 quick subgroups --device llvmpipe; }

[ $# -gt 0 ] || set -- swiftshader limits subgroups
for one; do
    case "$one" in
        swiftshader | limits | subgroups) ;;
        *) echo "error: the steps are swiftshader, limits, subgroups" >&2 && exit 2 ;;
    esac
done
case " $* " in *" swiftshader "* | *" subgroups "*) release_program ;; *) setup ;; esac
for one; do "$one"; done
echo "scripts/small-devices.sh $*: $failures problems, $SECONDS s"
[ "$failures" -eq 0 ]
