#!/usr/bin/env bash
# Runs README.md's first command in a bare Debian 12, in a pseudo-terminal of 80 columns: from `git clone` to the summary.
# Prints the screen, each line after the seconds since the start, then what took how long. The exit code is that of the
# command. It takes as long as a first build and a run, and needs root or sudo for a chroot by debootstrap, and Rust by
# rustup; skips where these are missing. The commit is HEAD; the pseudo-terminal's output is left in target/first-run/.
#   scripts/first-run.sh             cargo downloads the crates
#   scripts/first-run.sh --cached    cargo finds the crates that this machine has downloaded
# A last argument is another command of the repository: scripts/first-run.sh --cached scripts/crates.sh
# DEBIAN_MIRROR names a mirror. STUB=yes tries the setup and the downloads, and neither builds nor runs the program.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
cached=
[ "${1:-}" != --cached ] || { cached=yes && shift; }
command="${1:-$(sed -n 's/^\(scripts\/run\.sh[^#]*\).*/\1/p' README.md | sed -n '1s/ *$//p')}"
case "$#$command" in
    0scripts/* | 1scripts/*) ;;
    0*) echo "error: README.md has no line that starts with scripts/run.sh" >&2; exit 1 ;;
    *) echo "usage: scripts/first-run.sh [--cached] [scripts/COMMAND]" >&2; exit 2 ;;
esac
cargo_home="${CARGO_HOME:-$HOME/.cargo}"
output="${CARGO_TARGET_DIR:-$PWD/target}/first-run"

skip() {
    echo "SKIPPED: $*, so the first command is not tested on a bare system"
    exit 0
}

check_rust
rust=$(rustc --print sysroot)
[ "$rust" != /usr ] || skip "Rust is not rustup's"
as_root true || skip "a chroot needs root or sudo"
command -v debootstrap >/dev/null || try_apt_install debootstrap debian-archive-keyring || skip "$why"
work=$(mktemp -d)
trap 'as_root rm -rf "$work"' EXIT
system="$work/system"

# What the user has before the first command: git, certificates, Rust (mounted below), and this machine's way to the
# package servers, which no file of this repository names.
make_system() {
    mkdir -p "$output"
    # shellcheck disable=SC2046 # No mirror is no word.
    as_root timeout --foreground 600 debootstrap --variant=minbase --include=ca-certificates,git bookworm "$system" \
        $(debian_mirror) >"$output/debootstrap.log" 2>&1 || skip "debootstrap fails ($output/debootstrap.log)"
    apt-config dump Acquire >"$work/apt.conf"
    as_root cp "$work/apt.conf" "$system/etc/apt/apt.conf.d/first-run"
    as_root cp /etc/resolv.conf "$system/etc/resolv.conf"
    [ ! -e /etc/ssl/certs/ca-certificates.crt ] ||
        as_root cp /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/ca-certificates.crt"
    as_root mkdir -p "$system/root/.cargo" "$system/opt/rust"
    [ ! -e "$cargo_home/config.toml" ] || as_root cp "$cargo_home/config.toml" "$system/root/.cargo/"
    [ -z "$cached" ] || as_root cp -r "$cargo_home/registry" "$system/root/.cargo/"
    git clone --quiet --bare --no-local . "$work/shaderbench"
    as_root cp -r "$work/shaderbench" "$system/srv/shaderbench"
    cat >"$work/first-run" <<END
stty cols 80 rows 24
cd /root
set -e
echo "\$ git clone …/shaderbench && cd shaderbench"
git clone --quiet /srv/shaderbench
cd shaderbench
echo "\$ $command"
$command
files=\$(git status --porcelain)
[ -z "\$files" ] || { echo "error: the command leaves files in the clone: \$files"; exit 1; }
END
    as_root cp "$work/first-run" "$system/root/first-run"
}

# A cargo that downloads the crates, and makes a program that prints its arguments.
make_stub() {
    mkdir -p "$work/stub"
    cat >"$work/stub/cargo" <<'END'
#!/bin/sh
[ "$1" != --version ] || exec /opt/rust/bin/cargo --version
/opt/rust/bin/cargo fetch --locked || exit
mkdir -p target/release
printf '#!/bin/sh\necho "shaderbench $*"\n' >target/release/shaderbench
chmod +x target/release/shaderbench
END
    chmod +x "$work/stub/cargo"
    as_root cp "$work/stub/cargo" "$system/usr/local/bin/cargo"
}

# The first command, in the system. Mounts and processes end with it.
enter() {
    local name settings=()
    for name in $(compgen -e | grep -iE '^(https?_proxy|no_proxy|ssl_cert_.*|cargo_(http|net|registr).*)$'); do
        settings+=("$name=${!name}")
    done
    # shellcheck disable=SC2016 # The inner shell expands them.
    as_root env -i PATH=/usr/local/bin:/opt/rust/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root SHELL=/bin/bash \
        TERM=xterm-256color LANG=C.UTF-8 "${settings[@]}" \
        unshare --mount --pid --fork --kill-child bash -c 'mount -t proc proc "$0/proc" &&
            mount --rbind /dev "$0/dev" && mount --bind -o ro "$1" "$0/opt/rust" &&
            exec chroot "$0" script -qefc "bash /root/first-run" /root/typescript' "$system" "$rust" </dev/null
}

# Lines without the codes that colour and redraw them. A progress bar makes a line of a megabyte, in which bash's patterns
# would search for seconds.
plain() { sed -u -e $'s/\r*$//' -e $'s/.*\r//' -e $'s/\e\\[[0-9;?]*[A-Za-z]//g'; }

# Prints each line after the seconds since the start.
show() {
    local line start=$SECONDS phase='git clone' since=0 now phases=''
    next() { phases+="$phase $((now - since)) s, " phase="$1" since=$now; }
    while IFS= read -r line; do
        now=$((SECONDS - start))
        case "$line" in
            '$ scripts/'*) next setup ;;
            'installing '*) next packages ;;
            'building '*) next build ;;
            *'Finished '*release*) next run ;;
        esac
        printf '%4d  %s\n' "$now" "$line"
    done
    now=$((SECONDS - start))
    next ''
    echo "first-run: ${phases}total $now s"
}

start=$SECONDS
make_system
[ -z "${STUB:-}" ] || make_stub
echo "first-run: a bare Debian 12 after $((SECONDS - start)) s; $(git log -1 --format='%h, %s'); $(nproc) cores;" \
    "crates $([ -n "$cached" ] && echo cached || echo downloaded)"
code=0
enter | plain | show || code=$?
as_root cat "$system/root/typescript" >"$output/typescript"
echo "first-run: exit code $code"
exit "$code"
