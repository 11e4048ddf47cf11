# Installs what the other scripts need, or says what to install. Sourced, not run.
#
# On Debian and Ubuntu: the Vulkan loader; a software Vulkan driver where there is no other; with `tools`, the shader
# validators of the tests. Elsewhere nothing is installed.

# Seconds that one call of apt-get may take.
INSTALL_SECONDS="${INSTALL_SECONDS:-600}"

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else return 1; fi
}

# Every `timeout` of these scripts has --foreground: without it, timeout moves its command into a process group of its
# own, which the terminal stops when the command changes a mode of the terminal, as apt-get does, and which gets no
# Ctrl-C. Nothing asks: questions get their default answers. `env`, because sudo clears the environment. What dpkg prints
# is dropped, errors are not.
apt_get() { # ARGUMENT…
    as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
        timeout --foreground --kill-after=10 "$INSTALL_SECONDS" \
        apt-get -qq -o DPkg::Lock::Timeout=60 -o Dpkg::Use-Pty=0 "$@" </dev/null >/dev/null
}

# Installs packages, or sets `why` to the reason why it did not.
try_apt_install() { # PACKAGE…
    local code=0
    why="apt-get is not on the PATH"
    command -v apt-get >/dev/null || return 1
    why="an installation needs root or sudo"
    as_root true || return 1
    apt_get update || code=$?
    # One of many sources may have failed, and the packages may be known all the same.
    if [ "$code" -ne 124 ]; then
        code=0
        apt_get install -y --no-install-recommends "$@" || code=$?
    fi
    why="apt-get cannot install $*"
    case "$code" in 124 | 137) why="apt-get did not end within $INSTALL_SECONDS s" ;; esac
    return "$code"
}

# Installs packages, or says in one sentence what to install by hand.
apt_install() { # PACKAGE…
    local why
    try_apt_install "$@" && return 0
    echo "error: $why; as root, run 'apt-get update && apt-get install $*', then run this script again" >&2
    return 1
}

has_vulkan_loader() {
    for file in /usr/lib/libvulkan.so.1 /usr/lib/*/libvulkan.so.1; do [ -e "$file" ] && return 0; done
    # Not `grep -q`, which ends the pipe early: under `pipefail` that is a failure.
    PATH="$PATH:/usr/sbin:/sbin" ldconfig -p 2>/dev/null | grep 'libvulkan\.so\.1' >/dev/null
}

has_vulkan_driver() {
    [ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ] && return 0
    for folder in /usr/share /etc /usr/local/share "$HOME/.local/share"; do
        for file in "$folder"/vulkan/icd.d/*.json; do [ -e "$file" ] && return 0; done
    done
    return 1
}

# The name of a Python that starts: on Windows, python3 may be a link to a shop.
find_python() {
    local name
    for name in python3 python; do
        if "$name" -c '' 2>/dev/null; then echo "$name" && return 0; fi
    done
    return 1
}

# CHROMIUM names another program.
has_chromium() {
    for program in "${CHROMIUM:-chromium}" chromium-browser google-chrome google-chrome-stable; do
        command -v "$program" >/dev/null && return 0
    done
    return 1
}

# Chromium, which draws the pages under test. Without it those tests are skipped.
# Ubuntu's package is a snap, which does not run in containers.
setup_chromium() {
    has_chromium && return 0
    grep -qsx 'ID=debian' /etc/os-release || return 0
    echo "installing chromium with apt-get" >&2
    local why
    try_apt_install chromium || echo "SKIPPED: $why, so the pages are not tested"
}

check_rust() {
    local oldest found
    oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    if ! command -v cargo >/dev/null; then
        echo "error: cargo is not on the PATH: install Rust $oldest or newer (https://rustup.rs)" >&2
        return 1
    fi
    found=$(cargo --version | cut -d ' ' -f 2)
    [ "$(printf '%s\n' "$oldest" "$found" | sort -V | head -n 1)" = "$oldest" ] && return 0
    echo "error: Rust $found is too old: install Rust $oldest or newer (https://rustup.rs)" >&2
    return 1
}

setup() {
    check_rust || return
    case "$(uname -s)" in
        Linux) ;;
        *) return 0 ;; # Metal and DirectX 12 are parts of their systems.
    esac
    local packages=()
    has_vulkan_loader || packages+=(libvulkan1)
    has_vulkan_driver || packages+=(mesa-vulkan-drivers)
    if [ "${1:-}" = tools ]; then
        command -v spirv-val >/dev/null || packages+=(spirv-tools)
        command -v glslangValidator >/dev/null || packages+=(glslang-tools)
        command -v g++ >/dev/null || packages+=(g++) # Judges Metal's kernels.
    fi
    command -v cc >/dev/null || packages+=(gcc libc6-dev)
    [ "${#packages[@]}" -eq 0 ] && return 0
    if ! command -v apt-get >/dev/null; then
        echo "error: install these first (Debian's names): ${packages[*]} (Fedora: gcc vulkan-loader mesa-vulkan-drivers;" \
            "Arch: gcc vulkan-icd-loader and the driver of your GPU, or vulkan-swrast)" >&2
        return 1
    fi
    echo "installing ${packages[*]} with apt-get: about a minute" >&2
    apt_install "${packages[@]}"
}

# The mirror that DEBIAN_MIRROR names, or that of this machine's own settings if it is a Debian; else nothing, which is
# debootstrap's default.
debian_mirror() {
    if [ -n "${DEBIAN_MIRROR:-}" ]; then echo "$DEBIAN_MIRROR" && return 0; fi
    grep -qsx 'ID=debian' /etc/os-release || return 0
    # shellcheck disable=SC2016 # apt-get expands it.
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | sed -n 1p
}

# A field of the package in Cargo.toml.
package_field() { sed -n "s/^$1 = \"\(.*\)\"/\1/p" Cargo.toml | head -1; }

# The address of the repository on the web: REPOSITORY, or that of Cargo.toml, or git's remote `origin`; else nothing.
repository() {
    local address="${REPOSITORY:-$(package_field repository)}"
    [ -n "$address" ] || address=$(git remote get-url origin 2>/dev/null || true)
    address=$(echo "${address%.git}" | sed -n 's,^git@\([^:]*\):,https://\1/,; /^https:/p')
    echo "${address%/}"
}

# The committed reports whose names end so, one a line: the files of results/ that git tracks. A report of the user that
# lies there is none. Without git, as in an unpacked source, all count.
committed_reports() { # ENDING
    local found
    found=$(git ls-files -- "results/*$1" 2>/dev/null) || found=
    if [ -z "$found" ]; then
        echo "note: git tracks no file of results/: every report there counts as committed" >&2
        found=$(find results -name "*$1" | sort)
    fi
    printf '%s\n' "$found"
}

# Sets and exports PROGRAM, the release program. An existing one that PROGRAM names is taken as it is.
release_program() {
    [ -n "${PROGRAM:-}" ] && return 0
    setup
    cargo build --release --locked --bin shaderbench
    export PROGRAM="${CARGO_TARGET_DIR:-$PWD/target}/release/shaderbench"
}
