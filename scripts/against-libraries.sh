#!/usr/bin/env bash
# Compares the suite with NVIDIA's libraries on this device: builds scripts/reference/libraries.cu, runs it and the fast
# variants on Vulkan and CUDA within minutes, and prints the ratios (docs/limits.md). Needs nvcc and cuBLAS (the CUDA
# toolkit); cuFFT and cuSPARSE are left out if they are missing. CLPEAK and VKPEAK name those programs (clpeak 2, vkpeak), by
# default the ones on the PATH; without them, their lines have no ratio: only what ran on this card is compared. PROGRAMS
# names a folder with `shaderbench`, `against_libraries` and, optionally, `libraries` that are already built; REPORTS the
# folder of the reports (by default a temporary one). A part that fails is reported, the others are compared, and the exit
# code is 1.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
if [ ! -x "${PROGRAMS:-}/libraries" ] && ! command -v nvcc >/dev/null; then
    echo "error: nvcc is not on the PATH: install the CUDA toolkit" >&2
    exit 1
fi
programs_and_reports against_libraries
failed=0
build=(nvcc -O3 -std=c++17 -arch=native scripts/reference/libraries.cu -o "$reports/libraries" -lcublas)
if [ -x "$programs/libraries" ]; then
    cp "$programs/libraries" "$reports/libraries"
elif ! "${build[@]}" -lcufft -lcusparse 2>"$reports/nvcc.txt"; then
    echo "without cuFFT and cuSPARSE ($reports/nvcc.txt has the error)" >&2
    "${build[@]}" -DWITHOUT_CUFFT -DWITHOUT_CUSPARSE
fi
timeout --foreground 120 "$reports/libraries" >"$reports/libraries.txt" || failed=1
# What the table needs of them; they number their devices by themselves, and the first is compared.
peers=()
peer() {
    local name="$1" program="$2" output="$3"
    shift 3
    if [ -z "$program" ]; then
        echo "without $name: it is not on the PATH" >&2
    elif timeout --foreground 200 "$program" "$@" >"$reports/$name.txt" 2>"$reports/$name.err" && [ -s "$output" ]; then
        peers+=("$output")
    else
        echo "failed: $program $*: $(tail -1 "$reports/$name.err")" >&2
        failed=1
    fi
}
clpeak="${CLPEAK:-$(command -v clpeak || true)}"
peer clpeak-vulkan "$clpeak" "$reports/clpeak-vulkan.csv" --vulkan --vk-device 0 --csv-file "$reports/clpeak-vulkan.csv"
peer clpeak-cuda "$clpeak" "$reports/clpeak-cuda.csv" --cuda --cuda-device 0 --csv-file "$reports/clpeak-cuda.csv"
types=fp32-scalar,fp32-vec4,fp16-vec4,fp64-scalar,int32-scalar,int32-vec4,int8-dotprod,fp16-matrix,bf16-matrix,int8-matrix
peer vkpeak "${VKPEAK:-$(command -v vkpeak || true)}" "$reports/vkpeak.txt" 0 "$types"
part=0
run() {
    part=$((part + 1))
    local report="$reports/suite$part"
    # Three epochs each: noisy rows may take 32, and a median of three is enough for these ratios.
    if ! "$programs/shaderbench" run "$@" --backend all --profile standard --epochs 3 --force --out "$report.csv" \
        >/dev/null 2>"$report.txt"; then
        echo "failed: run $*: $(tail -1 "$report.txt")" >&2
        failed=1
    fi
}
run stream/triad stream/dot histogram/vec4 scan/single_pass_subgroup reduction/vec4_grid_stride --size 2^28
run reduction/vec4_grid_stride --size 2^20
run ceiling/fill
run radix_sort/onesweep --size 2^24,2^28 --param PAIRS=0
run 'ceiling/fma*' 'ceiling/tensor*' ceiling/mad ceiling/dot4 ceiling/workgroup_read
run transpose/tiled transpose/tiled_vec4 transpose/registers transpose/tiled_wide --size 4096,8192,16384
run matmul/double_buffered matmul/cooperative --size 4096,8192
run gemv/vec4 gemv/split_k --size 16384x16384
run gemv/packed --size 32768x16384
run gemv/q4_vec4 gemv/q4_dot4 --size 65536x32768
run softmax/subgroup rmsnorm/subgroup --size 65536x1024,4096x16384
run attention/cooperative attention/cudnn --size 16x16384 --param CAUSAL=0,D=128
run fft/stockham --size 8192x4096
run stencil/rolled_2d --size 16384x16384
run stencil/rolled_3d --size 512x512x512
run spmv/lanes spmv/subgroup --size 2^22 --param MATRIX=0
run pitched/buffer_to_texture pitched/texture_to_buffer --size 4096x4096
run transfer --size 2^26
"$programs/against_libraries" "$reports/libraries.txt" "$reports"/suite*.csv "${peers[@]}"
echo "reports: $reports"
exit "$failed"
