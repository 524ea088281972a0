#!/bin/bash
# Builds and runs every fuzz target of this folder. Not a find within the time is no proof of anything.
#
# usage: fuzz/run.sh [SECONDS]   in all, shared by the targets; 60 when not given
#
# Closes with `N passed, N failed, 0 skipped`, as the tests do.
#
# A target is fuzz/fuzz_NAME.c with LLVMFuzzerTestOneInput. All sources of the library rooms are linked to
# it. Beside it may stand fuzz/seeds/fuzz_NAME/, inputs to begin with, and fuzz/fuzz_NAME.dict, words of the
# input's language. What it finds goes to build/fuzz/fuzz_NAME.crash-*, new inputs to build/fuzz/corpus/.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
out=build/fuzz
clang=${CLANG:-clang}
targets=(fuzz/fuzz_*.c)
[[ -e ${targets[0]} ]] || { echo "fuzz: no targets" >&2; exit 1; }

flags=(-std=gnu17 -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
  -D_GNU_SOURCE "-DCAIRN_VERSION=\"fuzz\"" -Iinclude -Isrc)
libs=(-lpthread)
if pkg-config --exists libzstd; then
  read -ra zstd < <(pkg-config --cflags libzstd) || true
  flags+=("${zstd[@]}" -DCAIRN_HAVE_ZSTD)
  read -ra zstd < <(pkg-config --libs libzstd)
  libs+=("${zstd[@]}")
fi

# The rooms of the library, the program left out.
build_library() {
  local sources=() room
  for room in core kernel local user_events eventheader tracing perf_data session decode; do
    compgen -G "src/$room/*.c" >/dev/null && sources+=(src/"$room"/*.c)
  done
  rm -rf "$out/obj" && mkdir -p "$out/obj"
  export clang out
  printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I{} bash -c \
    'name=${1//\//_}; shift; "$clang" "$@" -fsanitize=fuzzer-no-link -c "$0" -o "$out/obj/${name%.c}.o"' {} {} "${flags[@]}"
}

# run_target NAME SECONDS: prints the number of executions; fails when the target did.
run_target() {
  local name=$1 log=$out/$1.log inputs=("$out/corpus/$1") options=()
  [[ -d fuzz/seeds/$name ]] && inputs+=("fuzz/seeds/$name")
  [[ -f fuzz/$name.dict ]] && options+=("-dict=fuzz/$name.dict")
  mkdir -p "$out/corpus/$name"
  rm -f "$log"
  "$clang" "${flags[@]}" -fsanitize=fuzzer "fuzz/$name.c" "$out"/obj/*.o "${libs[@]}" -o "$out/$name" || return
  local status=0
  "$out/$name" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$out/$name." \
    "${options[@]}" "${inputs[@]}" >"$log" 2>&1 || status=$?
  sed -n 's/^stat::number_of_executed_units: *//p' "$log"
  return "$status"
}

build_library
each=$((seconds / ${#targets[@]}))
summary=() failed=0
for target in "${targets[@]}"; do
  name=$(basename "$target" .c)
  echo "fuzz: $name"
  if executions=$(run_target "$name" "$((each > 0 ? each : 1))"); then
    summary+=("$name $executions executions")
  else
    failed=$((failed + 1))
    summary+=("$name FAILED after ${executions:-no} executions")
    [[ -f $out/$name.log ]] && tail -n 40 "$out/$name.log" >&2
  fi
done
printf -v line '%s, ' "${summary[@]}"
echo "fuzz: ${line%, }"
echo "$((${#targets[@]} - failed)) passed, $failed failed, 0 skipped"
((failed == 0))
