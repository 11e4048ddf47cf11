#!/usr/bin/env bash
# Makes docs/report.png: the top of the page of the committed reports. Needs Chromium (CHROMIUM names another program).
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo run --locked --quiet -- report results/nvidia-h200/2026-11-21-vulkan+cuda.csv results/llvmpipe-llvm-15-0-6-256-bits/2026-11-20-vulkan.csv \
    --out "$work/report.html"
"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --window-size=1120,1670 --disable-lcd-text \
    --virtual-time-budget=3000 --screenshot="$PWD/docs/report.png" "file://$work/report.html" 2>/dev/null
ls -l docs/report.png
