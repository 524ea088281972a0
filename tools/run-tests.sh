#!/bin/bash
# Runs all tests of a build directory. Ends with `N passed, N failed, N skipped`.
# usage: tools/run-tests.sh BUILD
set -euo pipefail
log=$1/meson-logs/testlog.json
rm -f "$log"
status=0
meson test -C "$1" --num-processes 2 --print-errorlogs || status=$?

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
