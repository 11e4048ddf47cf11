#!/usr/bin/env bash
# Checks the reports that a branch adds to results/, with the program of the commit that it starts from: a
# branch cannot change its own judge. A branch must not change a committed report. It may remove one of which the
# same folder keeps a newer one.
#   scripts/reports.sh [COMMIT]    default: origin/main
# A report with kernels of the branch itself is refused, since that commit does not know them: merge the kernels first.
set -euo pipefail
cd "$(dirname "$0")/.."
base="$(git merge-base "${1:-origin/main}" HEAD)"
changed() { # FILTER
    git diff --no-renames --name-only -z --diff-filter="$1" "$base" HEAD -- results ':(exclude)results/README.md'
}

mapfile -d '' -t edited < <(changed MTUX)
mapfile -d '' -t removed < <(changed D)
mapfile -d '' -t added < <(changed A)
reports=() status=0
for path in "${edited[@]}"; do
    printf '%q: a committed report was changed: add a new one instead\n' "$path"
    status=1
done
for path in "${removed[@]}"; do
    newest=$(git ls-tree --name-only HEAD -- "${path%/*}/" | grep '\.csv$' | tail -n 1) || newest=
    if [[ ! "$newest" > "$path" ]]; then
        printf '%q: the newest report of a device was removed\n' "$path"
        status=1
    fi
done
for path in "${added[@]}"; do
    case "$path" in
        *.csv) reports+=("$path") ;;
        *) printf '%q: not checked, since the file is not CSV; check the file by hand\n' "$path" ;;
    esac
    # A link would make the checker read another file than the one that is merged.
    if [ -L "$path" ]; then
        printf '%q: the file is a link, not a report\n' "$path"
        status=1
    fi
done
if [ "${#reports[@]}" -eq 0 ]; then
    echo "no report is added"
    exit "$status"
fi

judge="${CARGO_TARGET_DIR:-$PWD/target}/judge"
git worktree remove --force "$judge" 2>/dev/null || true
git worktree add --quiet --force --detach "$judge" "$base"
trap 'git worktree remove --force "$judge"' EXIT
build=(cargo run --quiet --locked --manifest-path "$judge/Cargo.toml" --target-dir "${CARGO_TARGET_DIR:-$PWD/target}")
"${build[@]}" -- share --check -- "${reports[@]}" || status=1
exit "$status"
