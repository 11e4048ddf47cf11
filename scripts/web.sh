#!/usr/bin/env bash
# Builds the page that runs the suite in a browser tab, and serves it on this machine. Installs what is missing.
#   scripts/web.sh                 serves the page at the printed address (PORT, 8000 by default)
#   scripts/web.sh --build-only    leaves the static files in target/web-page
#   scripts/web.sh --test          tests the page in Chromium (CHROMIUM names another program), built without
#                                  optimising its size, and the pages of target/debug/shaderbench report; with
#                                  WEB_TESTS=all the page as it is published, measuring all families
#   scripts/web.sh --check         checks that the core compiles for a browser
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
TARGET="${CARGO_TARGET_DIR:-$PWD/target}"
PAGE="$TARGET/web-page"
PROFILE=web
TRIPLE=wasm32-unknown-unknown
# Maximum size of the page without reports, each file compressed by gzip.
MOST_BYTES=1550000

if [ "${1:-}" = --test ] && [ "${WEB_TESTS:-}" != all ]; then
    PAGE="$TARGET/web-page-test"
    PROFILE=web-test
fi

has_std() { [ -d "$(rustc --print target-libdir --target "$TRIPLE" 2>/dev/null)" ]; }
has_debian_toolchain() {
    [ -x /usr/bin/cargo ] && [ -e /usr/bin/wasm-ld ] && [ -d /usr/lib/rustlib/src ] && dpkg -s rustc-web >/dev/null 2>&1
}

# Rust's standard library for a browser: from rustup if there is one, else Debian's compiler and the library's source.
setup_rust() {
    has_std && return 0
    if command -v rustup >/dev/null && rustup target add "$TRIPLE" >&2; then return 0; fi
    has_debian_toolchain && return 0
    if ! command -v apt-get >/dev/null; then
        echo "error: Rust's standard library for $TRIPLE is missing: install it with rustup (https://rustup.rs)" >&2
        return 1
    fi
    apt_install rustc-web cargo-web rust-web-src lld >&2
}

build_wasm() {
    local arguments=(build --package shaderbench-web --target "$TRIPLE" --profile "$PROFILE" --locked)
    # Tests lint no other build of the page.
    [ "$PROFILE" = web ] || export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-D warnings"
    if has_std; then cargo "${arguments[@]}"; else debian_cargo "${arguments[@]}"; fi
}

# Debian's compiler builds the standard library first.
debian_cargo() {
    RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld \
        /usr/bin/cargo "$@" -Z build-std=std,panic_abort
}

has_node_packages() { # PACKAGE…
    local package
    for package in "$@"; do [ -e "web/node_modules/$package" ] || return 1; done
}

setup_node_packages() {
    has_node_packages playwright-core binaryen && return 0
    command -v npm >/dev/null && npm ci --prefix web --ignore-scripts --no-audit --no-fund --loglevel=error >&2
}

# A script or a style without what no browser reads: indentation, and comments but for licences. No text in them spans
# lines.
shorter() { sed -e 's/^ *//' -e '/^\/\//d' -e '/^\/\*\*.*\*\/$/d' -e '/^\/\*\*/,/\*\/$/d' "$1"; }

optimise() { # FOLDER
    if has_node_packages binaryen; then
        node web/node_modules/binaryen/bin/wasm-opt -Oz "$1/shaderbench_web_bg.wasm" -o "$1/smaller.wasm"
        mv "$1/smaller.wasm" "$1/shaderbench_web_bg.wasm"
    else
        echo "note: npm cannot install binaryen, so wasm-opt does not optimise the program" >&2
    fi
}

build_page() {
    local pkg="$PAGE/pkg"
    rm -rf "$PAGE"
    mkdir -p "$pkg" "$PAGE/results"
    cp web/page/* "$PAGE"
    local file
    for file in web/page/*.js web/page/*.css; do shorter "$file" >"$PAGE/${file##*/}"; done
    cargo run --quiet --package shaderbench-bindgen --locked -- "$TARGET/$TRIPLE/$PROFILE/shaderbench_web.wasm" "$pkg"
    shorter "$pkg/shaderbench_web.js" >"$pkg/shorter.js"
    mv "$pkg/shorter.js" "$pkg/shaderbench_web.js"
    [ "$PROFILE" != web ] || optimise "$pkg"
    copy_charts
    copy_reports
    # Otherwise GitHub Pages leaves out some files.
    touch "$PAGE/.nojekyll"
}

# The charts of the HTML report: their files in the order of src/answers/page/mod.rs, without comments and indentation.
copy_charts() {
    local html=src/answers/page part parts
    parts=$(sed -n 's/^ *include_str!("\(drawing\/.*\.js\)"),$/\1/p' "$html/mod.rs")
    shorter "$html/drawing/page.css" >"$PAGE/report.css"
    {
        printf 'const ShaderbenchReport = (() => {\n"use strict";\n'
        cat "$html/drawing/vendor/plot.js"
        for part in $parts; do
            [ "$part" = drawing/vendor/plot.js ] || shorter "$html/$part"
        done
        printf 'return { render };\n})();\n'
    } >"$PAGE/report.js"
}

# The committed reports, and their list.
copy_reports() {
    local report separator=''
    {
        printf '['
        while IFS= read -r report; do
            local name="${report#results/}"
            mkdir -p "$PAGE/results/$(dirname "$name")"
            cp "$report" "$PAGE/results/$name"
            printf '%s"%s"' "$separator" "$name"
            separator=', '
        done < <(committed_reports .csv)
        printf ']\n'
    } >"$PAGE/results/index.json"
}

serve() {
    local port="${PORT:-8000}"
    echo "http://localhost:$port/ (Ctrl-C ends it)"
    exec python3 -m http.server --bind 127.0.0.1 --directory "$PAGE" "$port"
}

check() {
    local arguments=(--locked --package shaderbench-web --target "$TRIPLE")
    if has_std || { command -v rustup >/dev/null && timeout --foreground 120 rustup target add "$TRIPLE" >&2; }; then
        cargo clippy "${arguments[@]}" -- -D warnings
    elif has_debian_toolchain; then
        debian_cargo check "${arguments[@]}"
    else
        echo "SKIPPED: Rust's standard library for $TRIPLE is not installed, so the core is not compiled for a browser"
    fi
}

test_page() {
    if ! command -v node >/dev/null || ! has_node_packages playwright-core; then
        echo "SKIPPED: Node.js or playwright-core is not installed, so the page is not tested"
        return 0
    fi
    # Two files at a time: a run in a browser waits half of its time.
    PAGE="$PAGE" SHADERBENCH="$TARGET/debug/shaderbench" \
        node --test --test-concurrency=2 --test-reporter=spec web/test/*.test.mjs
}

if [ "${1:-}" = --check ]; then
    check
    exit
fi
setup_rust
build_wasm
setup_node_packages || true
build_page
bytes=$(for file in "$PAGE"/*.* "$PAGE"/pkg/*; do gzip -9 <"$file"; done | wc -c)
echo "the page is in $PAGE: $bytes bytes compressed" >&2
if [ "$PROFILE" = web ] && has_node_packages binaryen && [ "$bytes" -gt "$MOST_BYTES" ]; then
    echo "error: the page has more than $MOST_BYTES bytes" >&2
    exit 1
fi
case "${1:-}" in
    --build-only) ;;
    --test) test_page ;;
    *) serve ;;
esac
