#!/bin/bash
# Sees to it that this Debian machine has what the named purposes need.
# usage: tools/setup.sh PURPOSE...   (build, test, kernel, bench, fuzz, lint)
set -euo pipefail

declare -A packages=(
  [build]="gcc libc6-dev make meson ninja-build pkg-config libzstd-dev"
  [test]="g++ clang lld libcmocka-dev python3 mandoc wrk libclang-rt-14-dev qemu-system-x86 qemu-system-misc qemu-system-arm gcc-riscv64-linux-gnu gcc-aarch64-linux-gnu gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user"
  [kernel]="linux-source-6.12 qemu-system-x86 busybox-static flex bison libelf-dev libssl-dev bc cpio kmod rsync xz-utils linux-perf trace-cmd bpftrace libbpf-dev clang"
  [bench]="lttng-tools liblttng-ust-dev libspdlog-dev g++ babeltrace2 linux-perf"
  [fuzz]="clang libclang-rt-14-dev"
  [lint]="clang clang-format clang-tidy"
)

missing=()
for purpose in "$@"; do
  for package in ${packages[$purpose]}; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok' || missing+=("$package")
  done
done
((${#missing[@]})) || exit 0

if ! command -v apt-get >/dev/null; then
  echo "cairn: these Debian packages, or your system's like, are missing: ${missing[*]}" >&2
  exit 1
elif ((EUID)); then
  echo "cairn: missing packages. Run:  sudo apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "cairn: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1; }
install || { apt-get update -qq >>"$log" 2>&1 && install; } || { tail -n 20 "$log" >&2; exit 1; }

# A build folder that was configured without them looks again.
build=${BUILD:-build}
[[ ! -f $build/build.ninja ]] || meson setup --reconfigure "$build" >"$log" || { tail -n 20 "$log" >&2; exit 1; }
