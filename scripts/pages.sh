#!/usr/bin/env bash
# Builds the whole site as one folder that any static host serves: first all committed reports in one page, then the page
# that runs the suite in a browser, a page for each report, and the documents. Checks every link. Installs what is missing.
#   scripts/pages.sh            leaves the site in target/site
#   scripts/pages.sh --serve    and serves it at the printed address (PORT, 8000 by default)
# SITE_URL is the address at which the site will be, for the pictures of previews [GitHub's, on GitHub].
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

# The first page has the results: all reports in one page. The page that runs the suite comes second.
mv "$SITE/index.html" "$SITE/run.html"
links() { # PATH OF THE ROOT
    printf '<nav aria-label="Site" class="site">'
    printf '<a href="%s">%s</a>' "$1index.html" Results "$1run.html" 'Run it in your browser' "$1results/README.html" \
        Reports "$1README.html" About "$1docs/install.html" Install "$1docs/usage.html" Usage
    printf '</nav>'
}
sed -i "s|<!-- links of the site -->|$(links '')|" "$SITE/run.html"

# Previews in messengers need the whole address of the picture.
address="${SITE_URL:-${GITHUB_REPOSITORY:+https://${GITHUB_REPOSITORY%/*}.github.io/${GITHUB_REPOSITORY#*/}}}"
picture="${address:+<meta property=\"og:image\" content=\"$address/docs/report.png\">}"
report() { # FILE… HTML, with the links of the site
    local out="${*: -1}" root
    root=$(dirname "${out#"$SITE/"}" | sed -e 's|^\.$||' -e 's|[^/][^/]*|..|g' -e 's|..$|&/|')
    "$PROGRAM" report "${@:1:$#-1}" --out "$out" >/dev/null
    sed -i -e "s|^<body>$|&$(links "$root")|" -e "s|^<title>|$picture&|" "$out"
}
mapfile -t reports < <(committed_reports .csv)
for file in "${reports[@]}"; do
    report "$file" "$SITE/${file%.csv}.html"
done
report "${reports[@]}" "$SITE/index.html"
python=$(find_python)
"$python" -B scripts/pages/docs.py "$SITE"
"$python" -B scripts/pages/check.py "$SITE"
echo "the site is in $SITE: $(du -sh "$SITE" | cut -f 1), $(find "$SITE" -type f | wc -l) files"
if [ "${1:-}" = --serve ]; then
    echo "http://localhost:${PORT:-8000}/ (Ctrl-C ends it)"
    exec "$python" -m http.server --bind 127.0.0.1 --directory "$SITE" "${PORT:-8000}"
fi
