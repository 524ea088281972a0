#!/bin/bash
# Installs a build directory, and adds the list of files to BUILD/installed.txt for tools/uninstall.py.
# usage: tools/install.sh BUILD [PREFIX]   (below $DESTDIR, if set)
set -euo pipefail
build=$1 prefix=${2:-}

configured=$(meson introspect --buildoptions "$build" |
  python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
if [[ $prefix && $prefix != "$configured" ]]; then
  meson configure "$build" --prefix="$prefix"
  ninja -C "$build"
fi

# The log is that of the last installation: another one of the same build directory waits.
exec 9>"$build/.install.lock"
flock 9
meson install -C "$build" --no-rebuild
grep -v '^#' "$build/meson-logs/install-log.txt" >>"$build/installed.txt"

# Updates the dynamic linker's cache of libraries.
[[ ${DESTDIR:-} ]] || ((EUID)) || ! command -v ldconfig >/dev/null || ldconfig
