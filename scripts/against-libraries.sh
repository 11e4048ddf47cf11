#!/usr/bin/env bash
# Compares the suite with NVIDIA's libraries on this device: builds scripts/reference/libraries.cu, runs it and the fast
# variants on Vulkan and CUDA within minutes, and prints the ratios (docs/limits.md). Needs nvcc and cuBLAS (the CUDA
# toolkit). PROGRAMS names a folder with `shaderbench` and `against_libraries` that are already built; REPORTS the
# folder of the reports (by default a temporary one).
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v nvcc >/dev/null; then
    echo "error: nvcc is not on the PATH: install the CUDA toolkit" >&2
    exit 1
fi
. scripts/setup.sh
programs_and_reports against_libraries
nvcc -O3 -std=c++17 -arch=native scripts/reference/libraries.cu -lcublas -o "$reports/libraries"
"$reports/libraries" >"$reports/libraries.txt"
part=0
run() {
    part=$((part + 1))
    local report="$reports/suite$part"
    if ! "$programs/shaderbench" run "$@" --backend all --profile standard --force --out "$report.csv" \
        >/dev/null 2>"$report.txt"; then
        tail -1 "$report.txt" >&2
        exit 1
    fi
}
run ceiling
run reduction/vec4_grid_stride scan/single_pass_subgroup stream/triad stream/dot --size 2^20,2^28
run histogram/vec4 --size 2^28
run transpose/tiled transpose/tiled_vec4 transpose/registers transpose/tiled_wide matmul/double_buffered \
    matmul/cooperative --size 4096,8192,16384
run transfer --size 2^26
"$programs/against_libraries" "$reports/libraries.txt" "$reports"/suite*.csv
echo "reports: $reports"
