#!/usr/bin/env bash
# Tries the packages of scripts/release.sh: checksums, their registries' linters (packaging/lint.sh), then in clean systems for archive, .deb, wheel and npm package
# the seconds from the start of the download to the first row of a run on Mesa's software device. The packages come from
# a server on this machine; tools that users have (curl, pip, npm) are installed before the clock starts.
#   scripts/release-check.sh [SYSTEM…]    debian-11, ubuntu-24.04, fedora (the default), debian-12, debian-13
# A system is a container of docker or podman where one works; else Debian and Ubuntu are chroots made by debootstrap,
# which needs root. DEBIAN_MIRROR and UBUNTU_MIRROR name mirrors, UBUNTU_KEYRING a file with Ubuntu's keys; CHROOTS is a
# folder to keep chroots in.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh
folder="${CARGO_TARGET_DIR:-$PWD/target}/dist/packages"
version=$(package_field version)
target="$(uname -m)-unknown-linux-gnu"
if [ ! -e "$folder/shaderbench-$version-$target.tar.gz" ]; then
    echo "error: $folder has no package for $target: run scripts/release.sh first" >&2
    exit 1
fi
work=$(mktemp -d)
server=''
finish() {
    [ -z "$server" ] || kill "$server"
    rm -rf "$work"
}
trap finish EXIT

(cd "$folder" && sha256sum --quiet --check SHA256SUMS && echo "checksums: $(wc -l <SHA256SUMS) packages")
packaging/lint.sh "$folder"

# A folder that pip and npm accept as a registry, at a free port of this machine.
serve() {
    mkdir -p "$work/www/registry"
    cp "$folder"/*.* "$work/www"
    PYTHONUNBUFFERED=1 python3 -m http.server --bind 127.0.0.1 --directory "$work/www" 0 >"$work/server.log" 2>&1 &
    server=$!
    local port=''
    until [ -n "$port" ]; do
        sleep 0.1
        port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/server.log")
    done
    address="http://127.0.0.1:$port"
    python3 - "$folder" "$work/www/registry" "$address" <<'PY'
import base64, hashlib, json, pathlib, sys, tarfile
packages, registry, address = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
for path in packages.glob("*.tgz"):
    about = json.load(tarfile.open(path).extractfile("package/package.json"))
    digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
    about["dist"] = {"tarball": f"{address}/{path.name}", "integrity": f"sha512-{digest}"}
    versions = {about["version"]: about}
    text = json.dumps({"name": about["name"], "dist-tags": {"latest": about["version"]}, "versions": versions})
    (registry / about["name"]).write_text(text)
PY
}

container_program() {
    local program
    for program in docker podman; do
        if timeout --foreground 20 "$program" info >/dev/null 2>&1; then echo "$program" && return 0; fi
    done
    return 1
}

ubuntu_keyring() {
    local keyring="${UBUNTU_KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}"
    [ -e "$keyring" ] || apt_install ubuntu-keyring >/dev/null 2>&1 || true
    [ -e "$keyring" ] && echo "$keyring"
}

# A chroot of a system, or the reason why there is none.
make_chroot() { # SYSTEM FOLDER
    local keyring options=(--variant=minbase)
    [ "$(id -u)" -eq 0 ] || { echo "a chroot needs root"; return 1; }
    command -v debootstrap >/dev/null || apt_install debootstrap >/dev/null 2>&1 ||
        { echo "debootstrap is not installed"; return 1; }
    # shellcheck disable=SC2046,SC2207 # No mirror is no word.
    case "$1" in
        debian-11) options+=(bullseye "$2" $(debian_mirror)) ;;
        debian-12) options+=(bookworm "$2" $(debian_mirror)) ;;
        debian-13) options+=(trixie "$2" $(debian_mirror)) ;;
        ubuntu-24.04)
            keyring=$(ubuntu_keyring) || { echo "no file with Ubuntu's keys was found; set UBUNTU_KEYRING"; return 1; }
            options+=('--components=main,universe' "--keyring=$keyring" noble "$2")
            # An older debootstrap does not know the name; the script is the same for every release since 2007.
            options+=("${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}" /usr/share/debootstrap/scripts/gutsy)
            ;;
        *) echo "neither docker nor podman works, and debootstrap cannot create this system"; return 1 ;;
    esac
    timeout --foreground 600 debootstrap "${options[@]}" >"$work/debootstrap.log" 2>&1 && return 0
    rm -rf "$2"
    echo "debootstrap failed: $(grep '^E:' "$work/debootstrap.log" | tail -1)"
    return 1
}

try() { # SYSTEM
    local program chroot reason
    if program=$(container_program); then
        "$program" run --rm --network host --volume "$PWD/packaging/try.sh:/try.sh:ro" "${1/-/:}" \
            sh /try.sh "$address" "$version" "$target"
        return
    fi
    chroot="${CHROOTS:-$work}/$1"
    if [ ! -e "$chroot/etc/os-release" ] && ! reason=$(make_chroot "$1" "$chroot"); then
        echo "SKIPPED: $1: $reason"
        return 0
    fi
    cp packaging/try.sh "$chroot/try.sh"
    cp /etc/resolv.conf "$chroot/etc/resolv.conf"
    # Mounts of its own, which end with it, and no settings of this machine but its proxy.
    # shellcheck disable=SC2016 # The inner shell expands them.
    env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root ${http_proxy:+"http_proxy=$http_proxy"} \
        unshare --mount bash -c \
        'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" sh /try.sh "$@"' \
        "$chroot" "$address" "$version" "$target"
}

serve
systems=("$@")
(($# > 0)) || systems=(debian-11 ubuntu-24.04 fedora)
failed=0
for system in "${systems[@]}"; do
    echo "== $system"
    try "$system" || failed=$((failed + 1))
done
echo "release-check: ${#systems[@]} systems, $failed failed"
[ "$failed" -eq 0 ]
