# Installs what the other scripts need, or says what to install. Sourced, not run.
#
# On Debian and Ubuntu: the Vulkan loader; a software Vulkan driver where there is no other; with `tools`, the shader
# validators of the tests. Elsewhere nothing is installed.

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
        echo "error: the installation needs root: run as root, or install first: $*" >&2
        return 1
    fi
}

apt_install() {
    as_root apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive as_root timeout 600 apt-get install -y -qq --no-install-recommends "$@"
}

has_vulkan_loader() {
    ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1' || [ -e /usr/lib/x86_64-linux-gnu/libvulkan.so.1 ]
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
    echo "installing chromium" >&2
    apt_install chromium >&2 || echo "SKIPPED: apt-get cannot install chromium: the pages are not tested"
}

setup() {
    if ! command -v cargo >/dev/null; then
        echo "error: cargo is not on the PATH: install Rust 1.95 or newer (https://rustup.rs)" >&2
        return 1
    fi
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
        echo "error: install a Vulkan loader and driver first (Fedora: vulkan-loader mesa-vulkan-drivers;" \
            "Arch: vulkan-icd-loader and the driver of your GPU; Debian's names of what is missing: ${packages[*]})" >&2
        return 1
    fi
    echo "installing ${packages[*]}" >&2
    apt_install "${packages[@]}" >&2
}

# Sets and exports PROGRAM, the release program. An existing one that PROGRAM names is taken as it is.
release_program() {
    [ -n "${PROGRAM:-}" ] && return 0
    setup
    cargo build --release --locked --bin shaderbench
    export PROGRAM="${CARGO_TARGET_DIR:-$PWD/target}/release/shaderbench"
}

# Sets `programs`, a folder with shaderbench and the example EXAMPLE, and `reports`, a folder for reports. PROGRAMS and
# REPORTS name existing ones; without PROGRAMS both programs are built.
programs_and_reports() { # EXAMPLE
    programs="${PROGRAMS:-}"
    if [ -z "$programs" ]; then
        setup
        cargo build --release --locked --quiet --example "$1"
        cargo build --release --locked --quiet
        local target="${CARGO_TARGET_DIR:-target}/release"
        programs=$(mktemp -d)
        trap 'rm -rf "$programs"' EXIT
        cp "$target/shaderbench" "$target/examples/$1" "$programs"
    fi
    reports="${REPORTS:-$(mktemp -d)}"
    mkdir -p "$reports"
}
