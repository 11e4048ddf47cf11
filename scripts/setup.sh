# Installs what running and testing need and this machine lacks, or says what to install. Sourced by run.sh and test.sh.
#
# On Debian and Ubuntu: the Vulkan loader; a software Vulkan driver where there is no other; with `tools`, the shader checkers that
# tests use. Elsewhere nothing is installed.

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
        echo "error: installing needs root: run as root, or install by hand: $*" >&2
        return 1
    fi
}

has_vulkan_loader() {
    ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1' || [ -e /usr/lib/x86_64-linux-gnu/libvulkan.so.1 ]
}

has_vulkan_driver() {
    [ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ] && return 0
    for folder in /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d "$HOME/.local/share/vulkan/icd.d"; do
        for file in "$folder"/*.json; do [ -e "$file" ] && return 0; done
    done
    return 1
}

# The browser that looks at the report's page in tests/suite/page.rs, which skips where there is none: what goes wrong here ends nothing.
# Ubuntu's package of that name only points to a snap, which containers cannot run.
setup_chromium() {
    for program in "${CHROMIUM:-chromium}" chromium-browser google-chrome google-chrome-stable; do
        command -v "$program" >/dev/null && return 0
    done
    grep -qsx 'ID=debian' /etc/os-release || return 0
    echo "installing chromium" >&2
    { as_root apt-get update -qq && DEBIAN_FRONTEND=noninteractive as_root timeout 300 apt-get install -y -qq --no-install-recommends chromium; } >&2 ||
        echo "SKIPPED: apt-get cannot install chromium: nobody looks at the report's page"
}

setup() {
    if ! command -v cargo >/dev/null; then
        echo "error: cargo is not on the PATH: install Rust 1.95 or newer (https://rustup.rs)" >&2
        return 1
    fi
    case "$(uname -s)" in
        Linux) ;;
        *) return 0 ;; # Metal and DirectX 12 come with their systems
    esac
    local packages=()
    has_vulkan_loader || packages+=(libvulkan1)
    has_vulkan_driver || packages+=(mesa-vulkan-drivers)
    if [ "${1:-}" = tools ]; then
        command -v spirv-val >/dev/null || packages+=(spirv-tools)
        command -v glslangValidator >/dev/null || packages+=(glslang-tools)
    fi
    if command -v cargo >/dev/null && ! command -v cc >/dev/null; then packages+=(gcc libc6-dev); fi
    [ "${#packages[@]}" -eq 0 ] && return 0
    if ! command -v apt-get >/dev/null; then
        echo "error: install a Vulkan loader and driver first (Fedora: vulkan-loader mesa-vulkan-drivers;" \
            "Arch: vulkan-icd-loader and the driver of your GPU; missing here by Debian's names: ${packages[*]})" >&2
        return 1
    fi
    echo "installing ${packages[*]}" >&2
    as_root apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends "${packages[@]}" >&2
}

# Sets `programs`, a folder with shaderbench and the example EXAMPLE: PROGRAMS where that is set, and there need be no cargo, else both are built;
# and `reports`, the folder REPORTS or a temporary one.
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
