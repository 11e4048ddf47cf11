#!/usr/bin/env bash
# Holds the suite against NVIDIA's libraries on the card at hand: builds scripts/reference/libraries.cu, runs it and the fast variants through
# Vulkan and CUDA in the same minutes, and prints the ratios (docs/limits.md). Needs nvcc and cuBLAS (the CUDA toolkit).
# PROGRAMS names a folder with `shaderbench` and `against_libraries` where there is no cargo; what both printed stays in REPORTS (a temporary
# folder).
set -euo pipefail
cd "$(dirname "$0")/.."
command -v nvcc >/dev/null || { echo "nvcc was not found: install the CUDA toolkit, and put its bin folder on PATH" >&2; exit 1; }
. scripts/setup.sh
programs_and_reports against_libraries
nvcc -O3 -std=c++17 -arch=native scripts/reference/libraries.cu -lcublas -o "$reports/libraries"
"$reports/libraries" >"$reports/libraries.txt"
part=0
run() {
    part=$((part + 1))
    "$programs/shaderbench" run "$@" --backend all --profile standard --force --out "$reports/suite$part.csv" >/dev/null 2>"$reports/suite$part.txt" ||
        { tail -1 "$reports/suite$part.txt" >&2; exit 1; }
}
run ceiling
run reduction/vec4_grid_stride scan/single_pass_subgroup stream/triad stream/dot --size 2^20,2^28
run histogram/vec4 --size 2^28
run transpose/tiled transpose/tiled_vec4 transpose/registers transpose/tiled_wide matmul/double_buffered matmul/cooperative --size 4096,8192,16384
run transfer --size 2^26
"$programs/against_libraries" "$reports/libraries.txt" "$reports"/suite*.csv
echo "reports: $reports"
