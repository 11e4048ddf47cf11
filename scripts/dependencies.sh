#!/usr/bin/env bash
# Licences, versions and sources of all dependencies, and known vulnerabilities if the database can be downloaded.
# With cargo-deny and cargo-audit if they are installed; --install, or CI, installs cargo-deny first (three minutes).
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
    '' | --install) ;;
    *) echo "usage: scripts/dependencies.sh [--install]" >&2; exit 2 ;;
esac

has_cargo_deny() {
    cargo deny --version >/dev/null 2>&1 && return 0
    if [ -z "$1${CI:-}" ]; then
        echo "SKIPPED: cargo-deny is not installed: dependencies are not checked (--install installs it)"
        return 1
    fi
    timeout 900 cargo install --locked --quiet cargo-deny && return 0
    echo "SKIPPED: cargo cannot install cargo-deny: dependencies are not checked"
    return 1
}

has_cargo_deny "${1:-}" || exit 0
checks=(bans licenses sources)
if timeout 120 cargo deny fetch db >/dev/null 2>&1; then
    checks+=(advisories)
else
    echo "SKIPPED: the RustSec advisory database cannot be downloaded: known vulnerabilities are not checked"
fi
cargo deny --all-features check "${checks[@]}"
# The same database, and the programs that are built beside the workspace.
if [ "${#checks[@]}" -eq 4 ] && cargo audit --version >/dev/null 2>&1; then
    cargo audit --quiet
    cargo audit --quiet --file fuzz/Cargo.lock
else
    echo "SKIPPED: cargo-audit or its database is not there"
fi
