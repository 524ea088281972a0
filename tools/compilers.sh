#!/bin/bash
# Builds the tree with warnings as errors, with clang and with the newest gcc of Debian. Runs the unit tests of each, and with
# that gcc the tests of tests/compile too; runs the golden events compiled for aarch64, under emulation. Ends with
# `N passed, N failed, N skipped`.
# usage: tools/compilers.sh BUILD
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
mkdir -p "$1/compilers"
out=$(cd "$1/compilers" && pwd)
passed=0 failed=0 skipped=0

# Runs a command in a root directory, in a mount namespace of its own: the mounts end with the shell.
in_root() { # ROOT COMMAND
  unshare "${namespaces[@]}" bash -c '
    set -e
    mount --rbind /dev "$1/dev"
    mount --rbind /proc "$1/proc"
    mount --bind . "$1/source"
    mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
    mount --bind "$3" "$1/build"
    PATH=/usr/sbin:$PATH exec chroot "$1" /usr/bin/env -i PATH=/usr/bin HOME=/tmp LC_ALL=C.UTF-8 sh -c "$2"' \
    in_root "$1" "$2" "$out/newest-gcc"
}

try() { # NAME COMMAND...
  local name=$1
  shift
  echo "==> $name"
  if "$@" >"$out/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok: $name builds the tree without a warning, and the tests pass"
  else
    failed=$((failed + 1))
    echo "failed  $name (log: $out/log)"
    { grep -E 'warning:|error:|FAILED|FAIL |TIMEOUT ' "$out/log" | head -n 30; tail -n 5 "$out/log"; } | sed 's/^/    | /'
  fi
}

skip() { # NAME REASON
  echo "skipped: $1: $2"
  skipped=$((skipped + 1))
}

# Prints the commands, for any POSIX shell: in the other root /bin/sh is dash.
steps() { # SOURCE BUILD SUITE...
  echo "rm -rf $2/tree && meson setup $2/tree $1 -Dwerror=true && ninja -C $2/tree &&" \
    "meson test -C $2/tree --no-rebuild ${*:3} --num-processes 2 --print-errorlogs"
}

with_clang() {
  CC=clang CXX=clang++ sh -c "$(steps "$PWD" "$out/clang" --suite unit)"
}

with_newest_gcc() { # ROOT NUMBER
  mkdir -p "$out/newest-gcc"
  in_root "$1" "export CC=gcc-$2 CXX=g++-$2 && $(steps /source /build --suite unit --suite compile)"
}

if command -v clang >/dev/null; then
  try "$(clang --version | head -n 1)" with_clang
else
  skip clang "it is not installed"
fi

namespaces=(--mount)
((EUID == 0)) || namespaces+=(--map-root-user)
if ! unshare "${namespaces[@]}" true 2>/dev/null; then
  skip "the newest gcc" "it needs a mount namespace, which cannot be created"
elif ! found=$(tools/newest-gcc.sh 2>"$out/why"); then
  skip "the newest gcc" "$(tail -n 1 "$out/why")"
else
  read -r root number <<<"$found"
  if [[ $(gcc -dumpversion 2>/dev/null) == "$number" ]]; then
    skip "the newest gcc" "it is the one that is installed, gcc $number"
  else
    try "gcc $number" with_newest_gcc "$root" "$number"
  fi
fi
if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
  skip aarch64 "gcc-aarch64-linux-gnu or qemu-user is not installed"
else
  try aarch64 python3 tests/golden/other_machine.py . "$out/aarch64" aarch64
fi
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
