#!/usr/bin/env bash
# Makes docs/report.png: the top of the page of the committed reports. Needs Chromium (CHROMIUM names another program) and
# Python's Pillow, which makes it small: 256 colours.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo run --locked --quiet -- report results/nvidia-h200/2026-11-21-vulkan+cuda.csv results/llvmpipe-llvm-15-0-6-256-bits/2026-11-20-vulkan.csv \
    --out "$work/report.html"
"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --window-size=1180,1700 \
    --virtual-time-budget=3000 --screenshot="$work/report.png" "file://$work/report.html" 2>/dev/null
python3 -c 'import sys; from PIL import Image; Image.open(sys.argv[1]).convert("RGB").quantize(256).save(sys.argv[2], optimize=True)' "$work/report.png" docs/report.png
ls -l docs/report.png
