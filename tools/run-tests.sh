#!/bin/bash
# Runs all tests of a build directory, and those for Windows under wine. Ends with the tests that failed and
# `N passed, N failed, N skipped`.
# usage: tools/run-tests.sh BUILD
set -euo pipefail
status=0
logs=()

run() { # BUILD_DIRECTORY [OPTION...]: runs its tests
  local log=$1/meson-logs/testlog.json
  rm -f "$log"
  meson test -C "$1" --print-errorlogs "${@:2}" || status=$?
  [[ -s $log ]] || { echo "tools/run-tests.sh: no test of $1 was run" >&2; exit 1; }
  logs+=("$log")
}

# Three at a time: some of the tests wait more than they compute.
run "$1" --num-processes 3

if ! command -v x86_64-w64-mingw32-gcc >/dev/null || ! command -v wine >/dev/null; then
  echo "no mingw-w64 or no wine (make windows): the tests for Windows are skipped"
elif tools/windows.sh "$1-windows" >/dev/null; then
  run "$1-windows"
else
  echo "failed  the build for Windows"
  status=1
fi

tools/test-results.py "${logs[@]}" || status=1
exit $status
