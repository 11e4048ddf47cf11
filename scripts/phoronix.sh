#!/usr/bin/env bash
# Runs the profile of packaging/phoronix by the Phoronix Test Suite, once, and prints the figures that the suite read.
# SUITE names its folder (default: a clone from GitHub), PROGRAM a built shaderbench. Needs PHP with its XML module.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
release_program
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${SUITE:-}" ]; then
    SUITE="$work/suite"
    git clone --quiet --depth 1 https://github.com/phoronix-test-suite/phoronix-test-suite "$SUITE"
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
target="$(uname -m)-unknown-linux-gnu"
archive="shaderbench-$version-$target"
mkdir -p "$work/$archive" "$work/cache"
cp "$PROGRAM" "$work/$archive/shaderbench"
tar -czf "$work/cache/$archive.tar.gz" -C "$work" "$archive"
sum=$(sha256sum "$work/cache/$archive.tar.gz" | cut -d ' ' -f 1)

# The suite keeps its files in a folder of this script, and takes the archive from the cache instead of its address.
export PTS_USER_PATH_OVERRIDE="$work/home/" PTS_DOWNLOAD_CACHE="$work/cache" FORCE_TIMES_TO_RUN=1
export TEST_RESULTS_NAME=shaderbench TEST_RESULTS_IDENTIFIER=here SKIP_EXTERNAL_DEPENDENCIES=1
profile="$work/home/test-profiles/local/shaderbench-1.0.0"
mkdir -p "$profile"
for file in packaging/phoronix/*; do
    sed -e "s|@VERSION@|$version|; s|@REPOSITORY@|https://example.org|; s|@SHA256 $target@|$sum|" \
        -e "s|@URL $target@|https://example.org/$archive.tar.gz|; s|@FOLDER \([^@]*\)@|shaderbench-$version-\1|" \
        "$file" >"$profile/${file##*/}"
done
suite() { (cd "$SUITE" && ./phoronix-test-suite "$@" </dev/null); }
suite user-config-set UserAgreement=TRUE SaveResults=TRUE OpenBrowser=FALSE UploadResults=FALSE \
    PromptForTestIdentifier=FALSE PromptForTestDescription=FALSE PromptSaveName=FALSE RunAllTestCombinations=TRUE \
    Configured=TRUE NoInternetCommunication=TRUE >/dev/null || true
suite batch-benchmark local/shaderbench-1.0.0 >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
composite=$(find "$work/home" -name composite.xml | head -n 1)
[ -n "$composite" ] || { cat "$work/log" && exit 1; }
python3 - "$composite" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree
results = tree.parse(sys.argv[1]).findall("Result")
for result in results:
    text = lambda path: result.findtext(path) or ""
    print(f"{text('Description'):34} {text('Data/Entry/Value'):>12} {text('Scale'):8} {text('Proportion')}")
sys.exit(0 if len(results) > 5 else "error: the suite read too few figures")
PYTHON
