#!/usr/bin/env bash
# Builds the whole site as one folder that any static host serves: the page that runs the suite in a browser, a page for
# each committed report and one for all of them, and the documents. Checks every link. Installs what is missing.
#   scripts/pages.sh            leaves the site in target/site
#   scripts/pages.sh --serve    and serves it at the printed address (PORT, 8000 by default)
# PAGE names a folder that scripts/web.sh has built, PROGRAM a built shaderbench.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
TARGET="${CARGO_TARGET_DIR:-$PWD/target}"
SITE="$TARGET/site"
if [ -z "${PAGE:-}" ]; then
    scripts/web.sh --build-only
    PAGE="$TARGET/web-page"
fi
release_program
command -v pandoc >/dev/null || apt_install pandoc
rm -rf "$SITE"
mkdir -p "$TARGET"
cp -r "$PAGE" "$SITE"

# Alone, the page leads nowhere; here it is the first page of a site.
links='<nav aria-label="Site" class="site"><a href="results/README.html">Reports</a>'
links+='<a href="results/all.html">All reports in one page</a><a href="README.html">About</a>'
links+='<a href="docs/install.html">Install</a><a href="docs/usage.html">Usage</a></nav>'
sed -i "s|<!-- links of the site -->|$links|" "$SITE/index.html"

report() { "$PROGRAM" report "$@" >/dev/null; }
mapfile -t reports < <(committed_reports .csv)
for file in "${reports[@]}"; do
    report "$file" --out "$SITE/${file%.csv}.html"
done
report "${reports[@]}" --out "$SITE/results/all.html"
python=$(find_python)
"$python" -B scripts/pages/docs.py "$SITE"
"$python" -B scripts/pages/check.py "$SITE"
echo "the site is in $SITE: $(du -sh "$SITE" | cut -f 1), $(find "$SITE" -type f | wc -l) files"
if [ "${1:-}" = --serve ]; then
    echo "http://localhost:${PORT:-8000}/ (Ctrl-C ends it)"
    exec "$python" -m http.server --bind 127.0.0.1 --directory "$SITE" "${PORT:-8000}"
fi
