#!/bin/bash
# Compiles the program by a profile of its own runs, unless what BUILD has was made so from these sources. gcc counts in a first
# program how often each branch is taken while recordings are converted and decoded, and compiles the second one by that. Both
# must print the same.
# usage: tools/profile.sh BUILD   (a build directory of gcc; make release)
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
made=$build/profile-made # newer than the program, if that is by its profile
export CCACHE_DISABLE=1  # the same source has another object with each profile

build_program() { # none, collect or use
  meson setup --reconfigure "$build" -Dprofile="$1" >/dev/null
  ninja -C "$build" --quiet cairn tests/query/make_recording
}

# What the profile is of.
decode_all() { # DIRECTORY
  local recording format
  "$build/tests/query/make_recording" 20000 "$1/program.perf.data"
  "$build/tests/query/make_recording" 20000 "$1/kernel.perf.data" by-cpu
  for recording in program kernel; do
    "$build/cairn" convert "$1/$recording.perf.data" "$1/$recording.cairn"
  done
  for recording in "$1"/*; do
    for format in json jsonl text csv; do
      "$build/cairn" decode -f "$format" "$recording"
    done
    "$build/cairn" decode -j 2 -f jsonl "$recording"
    "$build/cairn" stats "$recording"
  done
}

checksum() {
  rm -f "$scratch"/*
  (cd "$scratch" && LC_ALL=C decode_all . | sha256sum)
}

is_made() {
  [[ -f $made ]] && ninja -C "$build" --quiet cairn && ! [[ $build/cairn -nt $made ]]
}

# A program that is being profiled must not stay in BUILD.
finish() {
  rm -r "$scratch"
  [[ -f $made ]] || meson configure "$build" -Dprofile=none >/dev/null
}

is_made && exit
rm -f "$made"
scratch=$(mktemp -d)
trap finish EXIT
build_program collect
find "$build/cairn.p" -name '*.gcda' -delete
expected=$(checksum)
if ! ls "$build"/cairn.p/*.gcda >/dev/null 2>&1; then
  echo 'profile.sh: no profile: it needs gcc and the option decoder_lto' >&2
  build_program none
  exit 0
fi
build_program use
if [[ $(checksum) != "$expected" ]]; then
  echo 'profile.sh: the program prints something else with its profile; it is compiled without' >&2
  build_program none
  exit 1
fi
touch "$made"
