#!/bin/sh
# Runs inside of a clean system, as root: scripts/release-check.sh calls it. Installs shaderbench in each way from a
# server, and prints the seconds from the start of the download to the first row of a run.
#   try.sh ADDRESS VERSION TARGET
set -eu
address="$1" version="$2" target="$3"
export DEBIAN_FRONTEND=noninteractive NODEVICE_SELECT=1
. /etc/os-release
work=$(mktemp -d)
cd "$work"

# Debian 11's software driver for Vulkan, Mesa 20.3.5, crashes in a thread of its own; that for OpenGL works.
backend=vulkan
[ "$ID$VERSION_ID" != debian11 ] || backend=gl

now() { date +%s.%N; }
seconds_since() { awk "BEGIN { printf \"%.1f\", $(now) - $1 }"; }

# Tools that users of each way have; not timed.
prepare() {
    if command -v apt-get >/dev/null; then
        [ "$backend" = vulkan ] || set -- libegl1 libgl1-mesa-dri
        apt-get update -qq &&
            apt-get install -y -qq --no-install-recommends ca-certificates curl python3-venv npm "$@"
    else
        dnf install -y -q --setopt=install_weak_deps=False curl tar gzip gawk python3 npm vulkan-loader mesa-vulkan-drivers
    fi
}

# The seconds until the first row is in the report, then how the run ended.
first_row() { # WAY START PROGRAM…
    way="$1" start="$2"
    shift 2
    report="$work/$way.csv"
    "$@" run reduction --profile quick --backend "$backend" --time 20s --out "$report" >"$work/$way.log" 2>&1 &
    run=$!
    while ! [ -e "$report" ] || [ "$(wc -l <"$report")" -lt 2 ]; do
        if ! kill -0 "$run" 2>/dev/null; then
            echo "FAILED: $PRETTY_NAME: $way: the run ended without a row:"
            cat "$work/$way.log"
            return 1
        fi
        sleep 0.05
    done
    echo "$PRETTY_NAME: $way: first row after $(seconds_since "$start") s ($backend)"
    status=0
    wait "$run" || status=$?
    rows=$(($(wc -l <"$report") - 1)) ok=$(grep -c ',ok,' "$report")
    echo "$PRETTY_NAME: $way: the run ended with code $status: $rows rows, $ok ok"
    [ "$status" -eq 0 ]
}

way_deb() {
    command -v apt-get >/dev/null || { echo "SKIPPED: $PRETTY_NAME: deb: there is no apt-get"; return 0; }
    start=$(now)
    curl -fsSO "$address/shaderbench_${version}_$(dpkg --print-architecture).deb"
    # With what it recommends: Mesa's software device.
    apt-get install -y -qq "./shaderbench_${version}_$(dpkg --print-architecture).deb" >"$work/apt.log" 2>&1 ||
        { cat "$work/apt.log"; return 1; }
    first_row deb "$start" shaderbench
    # The loader and the driver stay, for the other ways.
    apt-mark manual libvulkan1 mesa-vulkan-drivers >/dev/null
    apt-get remove -y -qq shaderbench >/dev/null 2>&1
}

way_archive() {
    start=$(now)
    curl -fsS "$address/shaderbench-$version-$target.tar.gz" | tar -xz
    first_row archive "$start" "./shaderbench-$version-$target/shaderbench"
}

way_wheel() {
    start=$(now)
    python3 -m venv environment
    environment/bin/pip install --quiet --disable-pip-version-check --no-index --find-links "$address/" shaderbench
    first_row wheel "$start" environment/bin/shaderbench
}

way_npm() {
    start=$(now)
    npm install --global --silent --registry "$address/registry/" shaderbench
    first_row npm "$start" shaderbench
}

if ! prepare >"$work/prepare.log" 2>&1; then
    tail -n 20 "$work/prepare.log"
    echo "FAILED: $PRETTY_NAME: preparation"
    exit 1
fi
for way in deb archive wheel npm; do way_$way; done
rm -rf "$work"
