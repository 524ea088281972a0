#!/bin/bash
# Builds and runs every fuzz target of this directory. A run that finds nothing in its time proves nothing.
#
# usage: fuzz/run.sh [SECONDS]   in all, shared by the targets; 60 when not given
#
# Closes with `N passed, N failed, N skipped`, as the tests do. Skipped are those of a library that is not installed.
#
# A target is fuzz/fuzz_NAME.c with LLVMFuzzerTestOneInput, named in fuzz/meson.build. Optional for each:
# fuzz/seeds/fuzz_NAME/, the first inputs, and fuzz/fuzz_NAME.dict, words of the input's language. Inputs that fail are
# written to build/fuzz/fuzz_NAME.crash-*, new inputs to build/fuzz/corpus/.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
out=build/fuzz
build=$out/build
targets=(fuzz/fuzz_*.c)

# The coverage instrumentation of every file; only the targets link libFuzzer and its main().
build_targets() {
  mkdir -p "$out"
  [[ -f $build/build.ninja ]] ||
    CC=${CLANG:-clang} meson setup "$build" ${WERROR:+-Dwerror=true} -Dfuzz=enabled -Ddefault_library=static \
      -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false \
      -Dc_args='-fsanitize=fuzzer-no-link -fno-omit-frame-pointer -fno-sanitize-recover=all' >"$out/setup.log" ||
    { cat "$out/setup.log" >&2; return 1; }
  ninja -C "$build" --quiet fuzz-programs
}

# run_target NAME SECONDS: prints the number of executions; fails when the target did.
run_target() {
  local name=$1 log=$out/$1.log inputs=("$out/corpus/$1") options=() status=0
  [[ -d fuzz/seeds/$name ]] && inputs+=("fuzz/seeds/$name")
  [[ -f fuzz/$name.dict ]] && options+=("-dict=fuzz/$name.dict")
  mkdir -p "$out/corpus/$name"
  "$build/fuzz/$name" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$out/$name." "${options[@]}" "${inputs[@]}" >"$log" 2>&1 || status=$?
  sed -n 's/^stat::number_of_executed_units: *//p' "$log"
  return "$status"
}

# is_left_out NAME: true if meson.build names the target, and did not build it.
is_left_out() {
  [[ ! -e $build/fuzz/$1 ]] && grep -q "'$1'" fuzz/meson.build
}

build_targets
each=$((seconds / ${#targets[@]}))
summary=() failed=0 skipped=0
for target in "${targets[@]}"; do
  name=$(basename "$target" .c)
  if is_left_out "$name"; then
    echo "fuzz: $name skipped"
    skipped=$((skipped + 1))
    continue
  fi
  echo "fuzz: $name"
  if executions=$(run_target "$name" "$((each > 0 ? each : 1))"); then
    summary+=("$name $executions executions")
  else
    failed=$((failed + 1))
    summary+=("$name FAILED after ${executions:-no} executions")
    echo "failed  $name"
    tail -n 40 "$out/$name.log" | sed 's/^/    | /'
  fi
done
printf -v line '%s, ' "${summary[@]}"
echo "fuzz: ${line%, }"
echo "$((${#targets[@]} - failed - skipped)) passed, $failed failed, $skipped skipped"
((failed == 0))
