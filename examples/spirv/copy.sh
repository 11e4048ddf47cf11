#!/bin/sh
# For `--compiler`, a command that writes SPIR-V which is there already: copy.sh SPIRV WGSL OUT.
cp "$1" "$3"
