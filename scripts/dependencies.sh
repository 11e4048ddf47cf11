#!/usr/bin/env bash
# Licences, versions and sources of all dependencies, and known vulnerabilities if the database can be downloaded.
# With cargo-deny and cargo-audit if they are installed; --install, or CI, installs cargo-deny first (three minutes).
# --strict: fails where a check would be skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
    '' | --install | --strict) ;;
    *) echo "usage: scripts/dependencies.sh [--install | --strict]" >&2; exit 2 ;;
esac
option="${1:-}"

skip() {
    echo "SKIPPED: $*"
    [ "$option" != --strict ] || exit 1
}

has_cargo_deny() {
    cargo deny --version >/dev/null 2>&1 && return 0
    if [ -z "$option${CI:-}" ]; then
        skip "cargo-deny is not installed: dependencies are not checked (--install installs it)"
    elif timeout --foreground 900 cargo install --locked --quiet cargo-deny; then
        return 0
    else
        skip "cargo cannot install cargo-deny: dependencies are not checked"
    fi
    return 1
}

has_cargo_deny || exit 0
checks=(bans licenses sources)
if timeout --foreground 120 cargo deny fetch db >/dev/null 2>&1; then
    checks+=(advisories)
else
    skip "the RustSec advisory database cannot be downloaded: known vulnerabilities are not checked"
fi
cargo deny --all-features check "${checks[@]}"
# The same database.
if [ "${#checks[@]}" -eq 4 ] && cargo audit --version >/dev/null 2>&1; then
    cargo audit --quiet
else
    skip "cargo-audit or its database is not there"
fi
