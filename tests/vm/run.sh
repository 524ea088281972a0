#!/bin/bash
# `make test-kernel`: runs the tests that need a kernel with user_events in a virtual machine that has one, and the
# kernel's own tests of user_events too, as a check of that machine. If there can be no such machine, the tests are skipped,
# and the reason is printed.
# usage: tests/vm/run.sh BUILD
set -euo pipefail
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)

skip() { # REASON
  echo "skipped: the kernel tests: $1"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}

[[ $(uname -m) == x86_64 ]] || skip "the virtual machine is for x86-64 hosts"
command -v dpkg-query >/dev/null || skip "the kernel is built from a Debian package"
"$here/../../tools/setup.sh" kernel || skip "qemu or the kernel's source is not installed"
ninja -C "$build" --quiet # an example needs a package that may just have been installed
kernel=$("$here/build-kernel.sh")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/results"
programs=()
for test in ftrace_test dyn_test abi_test perf_test; do
  gcc -w -D_GNU_SOURCE= -I"$kernel/include" -I"$kernel/selftests" -o "$work/$test" \
    "$kernel/selftests/user_events/$test.c" "$here/patient_open.c" -lrt -lpthread -lm
  programs+=("$work/$test")
done
for test in "$build"/tests/kernel/test_kernel_*; do
  [[ ! -f $test ]] || programs+=("$test")
done
((${#programs[@]} > 4)) || { echo "$build has no kernel tests: install cmocka and reconfigure it" >&2; exit 1; }

status=0
CAIRN_GUEST_SHARES="$here"$'\n'"$build" "$here/boot.sh" "$kernel/bzImage" "$work" 1800 \
  bash "$here/guest.sh" "$work/results" "${programs[@]}" || status=$?
python3 "$here/report.py" "$status" "$work/results" "${programs[@]}"
