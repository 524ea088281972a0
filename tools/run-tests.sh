#!/bin/bash
# Runs all tests of a build directory. Ends with `N passed, N failed, N skipped`.
# usage: tools/run-tests.sh BUILD
set -euo pipefail
log=$1/meson-logs/testlog.json
rm -f "$log"
status=0
# Three at a time: some of the tests wait more than they compute.
meson test -C "$1" --num-processes 3 --print-errorlogs || status=$?

# Tests under wine, if there is a compiler for Windows.
if ! command -v x86_64-w64-mingw32-gcc >/dev/null || ! command -v wine >/dev/null; then
  echo "no mingw-w64 or no wine (make windows): the tests for Windows are skipped"
elif tools/windows.sh "$1-windows" >/dev/null; then
  meson test -C "$1-windows" --print-errorlogs || status=$?
else
  status=1
fi

count() { # RESULT...: prints the number of tests with one of these results
  local result number=0
  for result in "$@"; do
    number=$((number + $(grep -c "\"result\": \"$result\"" "$log" || true)))
  done
  echo $number
}
[[ -s $log ]] || { echo "tools/run-tests.sh: no test was run" >&2; exit 1; }
passed=$(count OK EXPECTEDFAIL) skipped=$(count SKIP)
echo "$passed passed, $(($(wc -l <"$log") - passed - skipped)) failed, $skipped skipped"
exit $status
