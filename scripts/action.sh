#!/usr/bin/env bash
# What action.yml runs: takes the program from the release VERSION of the repository SOURCE, or builds it; runs it with
# ARGUMENTS; writes its output to the job's summary and, if COMMENT is true, as a comment of the pull request. The exit code
# is the program's. The other variables are GitHub's; PROGRAM names a program that is there.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work="${RUNNER_TEMP:?}/shaderbench"
mkdir -p "$work"

download() {
    local target file system=unknown-linux-gnu ending=tar.gz
    case "$(uname -s)" in
        Darwin) system=apple-darwin ;;
        MINGW* | MSYS*) system=pc-windows-msvc ending=zip ;;
    esac
    target="$(uname -m | sed 's/arm64/aarch64/')-$system"
    file="shaderbench-$VERSION-$target.$ending"
    echo "downloading $file from $SOURCE"
    for name in "$file" SHA256SUMS; do
        curl -fsSL -o "$work/$name" "$GITHUB_SERVER_URL/$SOURCE/releases/download/v$VERSION/$name"
    done
    cd "$work"
    grep "  $file\$" SHA256SUMS | if command -v sha256sum >/dev/null; then sha256sum --check; else shasum -a 256 --check; fi
    if [ "$ending" = zip ]; then unzip -oq "$file"; else tar -xzf "$file"; fi
    cd - >/dev/null
    PROGRAM="$work/shaderbench-$VERSION-$target/shaderbench"
}

build() {
    cd "$root"
    . scripts/setup.sh
    release_program
    cd - >/dev/null
}

# The comment of the action in this pull request, if there is one, is replaced.
comment() { # NUMBER
    local comments="repos/$GITHUB_REPOSITORY/issues/$1/comments" id
    id=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$MARK\")) | .id" | tail -n 1)
    if [ -n "$id" ]; then
        gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field body=@"$work/comment.md"
    else
        gh api --method POST "$comments" --field body=@"$work/comment.md"
    fi >/dev/null
}

MARK='<!-- shaderbench -->'
if [ -n "${PROGRAM:-}" ]; then :; elif [ -n "$VERSION" ]; then download; else build; fi
# Words, with quotes; nothing else of a shell is read in them.
words=()
while IFS= read -r -d '' word; do words+=("$word"); done < <(xargs printf '%s\0' <<<"$ARGUMENTS")
report="$work/report.csv"
echo "report=$report" >>"$GITHUB_OUTPUT"
code=0
"$PROGRAM" "${words[@]}" --out "$report" --force 2>&1 | tee "$work/output" || code=${PIPESTATUS[0]}
case "$code" in
    0) outcome='no fault' ;;
    3) outcome='**a result is wrong, failed or implausible**' ;;
    4) outcome='**slower than allowed**' ;;
    *) outcome="**not carried out (exit code $code)**" ;;
esac
# A comment has at most 65,536 characters.
{
    printf '%s\n`shaderbench %s`: %s\n\n```text\n' "$MARK" "$ARGUMENTS" "$outcome"
    tail -c 60000 "$work/output" | tr -d '`\r'
    printf '```\n'
} >"$work/comment.md"
cat "$work/comment.md" >>"$GITHUB_STEP_SUMMARY"
number=$(sed -n 's,^refs/pull/\([0-9]*\)/.*,\1,p' <<<"${GITHUB_REF:-}")
if [ "$COMMENT" = true ] && [ -n "$number" ] && ! comment "$number"; then
    echo "::warning::shaderbench cannot comment: it needs gh on the runner and the permission pull-requests: write"
fi
exit "$code"
