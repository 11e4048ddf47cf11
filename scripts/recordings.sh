#!/usr/bin/env bash
# Writes docs/research/recordings: what a terminal of 80×24 shows of a run, from the first line to the last, and of a run that
# Ctrl-C ends and the printed command completes. Both are made here, on the software device if there is no GPU.
#
#     scripts/recordings.sh [NAME=TYPESCRIPT…]
#
# What a device elsewhere printed is recorded there, and given as a typescript:
#
#     script -qec "stty cols 80 rows 24; shaderbench" h100.typescript     # on that device
#     scripts/recordings.sh quick-h100=h100.typescript
#
# Needs tmux.
set -euo pipefail
cd "$(dirname "$0")/.."
for typescript in "$@"; do
    [[ $typescript =~ ^[a-z0-9-]+=.+ && -f ${typescript#*=} ]] ||
        { echo "$typescript: must be NAME=FILE" >&2 && exit 2; }
done
command -v tmux >/dev/null || { echo "tmux is missing: install it, for example with apt-get install tmux" >&2 && exit 1; }
work=$(mktemp -d)
socket=shaderbench-recordings-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
cargo build --release --locked --quiet
target="${CARGO_TARGET_DIR:-target}"
[[ $target = /* ]] || target="$PWD/$target"
folder="$PWD/docs/research/recordings"
mkdir -p "$folder"

# A shell in a terminal, whose prompt is "$ ".
terminal() {
    printf 'set -g history-limit 100000\nset -g status off\nset -g default-terminal screen-256color\n' >"$work/tmux.conf"
    tmux -L "$socket" -f "$work/tmux.conf" new-session -d -x 80 -y 24 -c "$work" \
        "PATH='$target/release:$PATH' PS1='\$ ' bash --norc --noprofile"
    await '^\$ *$'
}
type_line() { tmux -L "$socket" send-keys -l "$1" && tmux -L "$socket" send-keys Enter; }
lines() { tmux -L "$socket" capture-pane -p -S - "$@" | sed -e 's/ *$//' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }
# Waits up to ten minutes for a last line.
await() {
    local attempt
    for ((attempt = 0; attempt < 3000; attempt++)); do
        lines | tail -n 1 | grep -q -- "$1" && return 0
        sleep 0.2
    done
    echo "error: no line like $1:" >&2
    lines >&2
    return 1
}
record() { # NAME
    lines | sed -e '${/^\$ *$/d}' >"$folder/$1.txt"
    wc -l "$folder/$1.txt"
    tmux -L "$socket" kill-server
}

for typescript in "$@"; do
    # Without the lines that `script` adds.
    sed -e '1{/^Script started/d}' -e '${/^Script done/d}' "${typescript#*=}" >"$work/typescript"
    terminal
    tmux -L "$socket" send-keys -l " clear; tmux -L $socket clear-history; printf '\$ shaderbench\n'; cat typescript"
    tmux -L "$socket" send-keys Enter
    await '^\$ *$'
    record "${typescript%%=*}"
done

terminal
type_line shaderbench
sleep 2
await '^\$ *$'
record quick-llvmpipe

terminal
type_line 'shaderbench transpose reduction scan -o "my r.csv"'
sleep 12
tmux -L "$socket" send-keys C-c
await '^\$ *$'
type_line 'shaderbench transpose reduction scan --resume "my r.csv"'
sleep 2
await '^\$ *$'
record interrupted-llvmpipe
