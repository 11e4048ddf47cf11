#!/usr/bin/env bash
# Writes docs/recordings: what the program prints on terminals of 80 and 120 columns, from the first line to the last.
#
#     scripts/recordings.sh [NAME-COLUMNS=TYPESCRIPT…]
#
# A quick run on the software device, and `summary`, `compare` and `learn D` of the committed reports, are made here.
# What a device elsewhere printed is recorded there, and given as a typescript: NAME is that of the recording.
#
#     script -qec "stty cols 80 rows 40; shaderbench run --profile quick" h100.typescript     # on that device
#     scripts/recordings.sh quick-h100-80=h100.typescript
#
# Needs tmux.
set -euo pipefail
cd "$(dirname "$0")/.."
for typescript in "$@"; do
    [[ $typescript =~ ^[a-z0-9-]+-(80|120)=.+ && -f ${typescript#*=} ]] ||
        { echo "$typescript: must be NAME-80=FILE or NAME-120=FILE" >&2 && exit 2; }
done
command -v tmux >/dev/null || { echo "tmux is missing: install it, for example by apt-get install tmux" >&2 && exit 1; }
work=$(mktemp -d)
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
socket=shaderbench-recordings-$$
cargo build --release --locked --quiet
PATH="$PWD/${CARGO_TARGET_DIR:-target}/release:$PATH"
reports="$PWD/results"
folder="$PWD/docs/recordings"
mkdir -p "$folder"

# The screen after a shell COMMAND, with everything that scrolled off. 40 rows, as in the typescripts.
screen() { # COLUMNS COMMAND
    printf 'set -g history-limit 100000\nset -g status off\nset -g default-terminal screen-256color\n' >"$work/tmux.conf"
    # The pane ends with its command: the screen is read before.
    tmux -L "$socket" -f "$work/tmux.conf" new-session -d -x "$1" -y 40 \
        "cd '$work' && { $2; }; tmux -L $socket capture-pane -p -S - >'$work/screen'; tmux -L $socket wait-for -S done"
    tmux -L "$socket" wait-for done
    sed -e 's/ *$//' "$work/screen" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}
record() { # NAME COMMAND
    for columns in 80 120; do
        { echo "\$ $2" && screen "$columns" "$2"; } >"$folder/$1-$columns.txt"
        wc -l "$folder/$1-$columns.txt"
    done
}

for typescript in "$@"; do
    name=${typescript%%=*} file=$(realpath "${typescript#*=}")
    # Without the lines that `script` adds.
    sed -e '1{/^Script started/d}' -e '${/^Script done/d}' "$file" >"$work/typescript"
    { echo "\$ shaderbench run --profile quick" && screen "${name##*-}" "cat '$work/typescript'"; } >"$folder/$name.txt"
    wc -l "$folder/$name.txt"
done
cp -r "$reports" "$work/results"
software=results/llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv
record quick-llvmpipe "shaderbench run --profile quick --out quick.csv --force"
record summary-h200 "shaderbench summary results/nvidia-h200/2026-11-23-vulkan+cuda.csv"
record summary-h100 "shaderbench summary results/nvidia-h100-80gb-hbm3/2026-11-25-vulkan+cuda.csv"
record summary-llvmpipe "shaderbench summary $software"
record compare-h200 "shaderbench compare results/nvidia-h200/2026-11-23-vulkan.csv results/nvidia-h200/2026-11-23-vulkan-2.csv"
record learn-d-h200 "shaderbench learn D --report results/nvidia-h200/2026-11-23-vulkan+cuda.csv"
record learn-d-llvmpipe "shaderbench learn D --report $software"
