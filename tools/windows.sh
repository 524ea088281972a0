#!/bin/bash
# Builds the library and the examples for Windows. usage: tools/windows.sh BUILD_DIRECTORY [MACHINE]
# MACHINE is x86_64 or i686: tools/cross/ has a file for each.
set -euo pipefail
build=$1 machine=${2:-x86_64}
[[ -f $build/build.ninja ]] || meson setup "$build" --cross-file "tools/cross/$machine-windows.ini"
ninja -C "$build" windows
