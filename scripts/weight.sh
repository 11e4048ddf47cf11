#!/usr/bin/env bash
# The weight of the project: lines of each room of src/ (with unit tests and comments), of tests, web and scripts, words of
# the documents (without docs/usage.md, which is generated), and crates. With --build also the CPU seconds of a release
# build, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
lines() { git ls-files -z -- "$@" | xargs -0r cat | wc -l; }
row() { printf '%-24s %7s\n' "$1" "$2"; }

for room in $(git ls-files -- src | sed -n 's|^src/\([^/]*\)/.*|\1|p' | sort -u); do
    row "src/$room" "$(lines "src/$room/*.rs")"
done
row "Rust outside tests/" "$(lines '*.rs' ':!tests' ':!fuzz' ':!examples')"
row "tests/" "$(lines 'tests/*.rs')"
row "planted faults" "$(lines 'shaders/*.faults')"
row "examples/, fuzz/" "$(lines 'examples/*.rs' 'fuzz/*.rs')"
row "page scripts" "$(lines 'src/*.js' 'web/page/*.js' ':!src/answers/page/drawing/vendor/plot.js')"
row "scripts/" "$(lines scripts)"
row "documents, words" "$(git ls-files -z -- 'docs/*.md' ':!docs/usage.md' README.md CONTRIBUTING.md | xargs -0 cat | wc -w)"
row "crates" "$(cargo tree --locked -e normal --prefix none | grep . | cut -d ' ' -f 1,2 | sort -u | wc -l)"
if [ "${1:-}" = --build ]; then
    target=$(mktemp -d)
    trap 'rm -rf "$target"' EXIT
    cargo fetch --locked --quiet
    TIMEFORMAT='%U %S'
    seconds=$({ time cargo build --locked --release --quiet --target-dir "$target" >&2; } 2>&1 | tail -n 1)
    row "release build, CPU s" "$(awk '{ printf "%.0f", $1 + $2 }' <<<"$seconds")"
fi
