#!/bin/bash
# Runs the tests with AddressSanitizer and UndefinedBehaviorSanitizer, then the unit tests with ThreadSanitizer, then each
# fuzzer for a short time.
# usage: tools/sanitize.sh [SECONDS_OF_FUZZING]
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

failed=()

run() { # NAME SANITIZERS MESON_TEST_ARGUMENTS...
  local name=$1 dir=build/sanitize-$1 sanitizers=$2
  shift 2
  echo "== $sanitizers"
  {
    [[ -f $dir/build.ninja ]] ||
      meson setup "$dir" -Dwerror=true -Db_sanitize="$sanitizers" -Db_lundef=false -Ddefault_library=static >/dev/null
  } && ninja -C "$dir" --quiet &&
    meson test -C "$dir" --no-rebuild --print-errorlogs --num-processes 2 --timeout-multiplier 20 "$@" ||
    failed+=("$name")
}

# use_sigaltstack=0: AddressSanitizer removes the signal stack of a cancelled thread from memory that it has marked as
# inaccessible, and reports its own access.
export ASAN_OPTIONS=abort_on_error=1:detect_leaks=1:use_sigaltstack=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1
mkdir -p build
run address address,undefined
run thread thread --suite unit
echo "== fuzzers"
fuzz/run.sh "${1:-60}" || failed+=(fuzz)

((${#failed[@]} == 0)) || { echo "sanitize: failed: ${failed[*]}" >&2; exit 1; }
echo "sanitize: clean"
