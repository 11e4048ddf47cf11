#!/usr/bin/env bash
# Makes the pictures of README.md and docs/reports.md, at twice the density: docs/report.png, the first screen of a
# committed report's page, and docs/terminal.png, what a run ends with: that report's summary, or RUN, a file with what a
# run wrote to stdout (`shaderbench --color always >FILE`).
# Needs Chromium (CHROMIUM names another program), Python's Pillow to reduce the pictures to 256 colours, and `script`
# and `aha` to convert terminal output to HTML.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo build --locked --quiet
program="$PWD/${CARGO_TARGET_DIR:-target}/debug/shaderbench"
picture() { # PAGE SIZE PNG
    "${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=2 \
        --user-data-dir="$work/profile" --window-size="$2" --virtual-time-budget=3000 \
        --screenshot="$work/picture.png" "file://$1" 2>/dev/null
    python3 - "$work/picture.png" "$3" <<'PYTHON'
import sys
from PIL import Image
Image.open(sys.argv[1]).convert("RGB").quantize(256).save(sys.argv[2], optimize=True)
PYTHON
    ls -l "$3"
}
report=results/nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv
"$program" report "$report" --out "$work/report.html"
picture "$work/report.html" 1180,860 docs/report.png
if [ -n "${RUN:-}" ]; then
    printf '$ shaderbench\n'
    cat "$RUN"
else
    printf '$ shaderbench %s\n' "$report"
    PATH="$(dirname "$program"):$PATH" script -qec "stty cols 80 rows 24; shaderbench $report" /dev/null
fi | tr -d '\r' | aha --black --no-header >"$work/body.html"
{
    echo '<!doctype html><meta charset="utf-8"><style>body { margin: 0; background: #16181d }'
    echo 'pre { margin: 18px 22px; color: #d7dae0; font: 15px/1.35 "DejaVu Sans Mono", monospace }</style>'
    printf '<pre>'
    cat "$work/body.html"
    echo '</pre>'
} >"$work/terminal.html"
picture "$work/terminal.html" 780,520 docs/terminal.png
