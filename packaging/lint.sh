#!/usr/bin/env bash
# Checks packages and manifests that packaging/pack.py made, each with its registry's own linter. Installs the linters of
# Debian and pip; a linter that cannot be had is skipped, with a line.
#   packaging/lint.sh FOLDER        OFFLINE=yes installs and downloads nothing
set -euo pipefail
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
. scripts/setup.sh
tools="${CARGO_TARGET_DIR:-$PWD/target}/package-linters"
schemas=https://raw.githubusercontent.com
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

if [ -z "${OFFLINE:-}" ]; then
    for package in lintian nix-bin pacman-package-manager ruby shellcheck; do
        dpkg -s "$package" >/dev/null 2>&1 || try_apt_install "$package" 2>/dev/null || echo "SKIPPED: $why"
    done
    [ -x "$tools/bin/twine" ] || timeout --foreground 120 python3 -m venv "$tools" &&
        timeout --foreground 120 "$tools/bin/pip" install --quiet --disable-pip-version-check --retries 1 \
            twine==6.2.0 check-jsonschema==0.39.0 2>/dev/null || echo "SKIPPED: pip cannot install twine, check-jsonschema"
fi
PATH="$tools/bin:$PATH"

# What is checked, the program that does so, its arguments.
lint() { # NAME PROGRAM ARGUMENT…
    local name="$1" log="$work/log"
    shift
    if ! command -v "$1" >/dev/null; then
        echo "SKIPPED: $name: $1 is not installed"
    elif "$@" >"$log" 2>&1; then
        echo "$name: ${1##*/}, 0 faults"
    else
        cat "$log"
        echo "FAILED: $name: $1"
        failed=$((failed + 1))
    fi
}

schema() { # MANIFEST ADDRESS
    if [ -n "${OFFLINE:-}" ] || ! curl -fsSL --max-time 20 -o "$work/schema.json" "$schemas/$2" 2>/dev/null; then
        echo "SKIPPED: ${1##*/}: its schema cannot be downloaded"
    else
        lint "${1##*/}" check-jsonschema --schemafile "$work/schema.json" "$1"
    fi
}

# makepkg refuses to run as root.
source_info() {
    cp "$manifests/aur/PKGBUILD" "$work" && chmod -R a+rwX "$work" && cd "$work" &&
        { [ "$(id -u)" -ne 0 ] || set -- setpriv --reuid=nobody --clear-groups; } &&
        "$@" makepkg --printsrcinfo | diff - "$manifests/aur/.SRCINFO"
}

manifests="$folder/manifests"
for package in "$folder"/*.deb; do
    [ -e "$package" ] || break
    # pack.py takes the maintainer's address from that of the repository.
    if [[ $(dpkg-deb --field "$package" Maintainer) != *@* ]]; then
        echo "SKIPPED: ${package##*/}: REPOSITORY was not set, so the maintainer has no address, which lintian demands"
    else
        lint "${package##*/}" lintian --fail-on error,warning "$package"
    fi
done
lint wheels twine check --strict "$folder"/*.whl
[ ! -d "$manifests/homebrew" ] || lint shaderbench.rb ruby -c "$manifests/homebrew/shaderbench.rb"
# SC2034, SC2154: makepkg reads the one and sets the other.
[ ! -d "$manifests/aur" ] || lint PKGBUILD shellcheck --shell=bash --exclude=SC2034,SC2154,SC2164 "$manifests/aur/PKGBUILD"
if [ -d "$manifests/aur" ] && command -v makepkg >/dev/null; then lint .SRCINFO source_info; fi
[ ! -d "$manifests/nix" ] || lint flake.nix nix-instantiate --eval --strict --expr \
    "builtins.attrNames ((import $manifests/nix/flake.nix).outputs { self = null; nixpkgs = { }; }).packages"
if [ -d "$manifests/scoop" ]; then schema "$manifests/scoop/shaderbench.json" ScoopInstaller/Scoop/master/schema.json; fi
for manifest in "$manifests"/winget/*.yaml; do
    [ -e "$manifest" ] || break
    kind=$(sed -n 's/^ManifestType: //p' "$manifest") version=$(sed -n 's/^ManifestVersion: //p' "$manifest")
    schema "$manifest" "microsoft/winget-cli/master/schemas/JSON/manifests/v$version/manifest.$kind.$version.json"
done
[ "$failed" -eq 0 ]
