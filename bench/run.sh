#!/bin/bash
# Builds the programs of the bench, and cairn as `make release` does, and runs it: writes BUILD/bench.tsv and prints a table.
# usage: bench/run.sh BUILD [GROUP...]   (from the top of the tree; make bench)
set -euo pipefail
build=${1:?usage: bench/run.sh BUILD [GROUP...]}

[[ -f $build/build.ninja ]] || meson setup "$build"
meson configure "$build" -Dbench=enabled
ninja -C "$build" bench-programs
tools/profile.sh "$build"
exec python3 "$(dirname "$0")/bench.py" "$@"
