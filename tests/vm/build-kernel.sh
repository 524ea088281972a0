#!/bin/bash
# Builds the kernel of tests/vm/kernel.config from Debian's linux-source-6.12, once for each version of either, and prints
# the directory of the result: bzImage, include/ (its headers for programs), selftests/ (the source of its own tests).
# usage: tests/vm/build-kernel.sh
set -euo pipefail

package=linux-source-6.12
recipe=1 # to be incremented with each change of this script that changes the result
here=$(cd "$(dirname "$0")" && pwd)
cache=${CAIRN_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/cairn}

# Checks that all options are set: merging silently drops those whose dependencies are missing.
check_config() {
  local missing
  missing=$(grep '^CONFIG_' "$here/kernel.config" | grep -vxFf .config || true)
  [[ -z $missing ]] || { echo "kernel.config: these options were not set: $missing"; return 1; }
}

build() { # RESULT
  unset MAKEFLAGS MAKELEVEL # those of `make test-kernel` must not affect the kernel's make
  cd "$work/source"
  make -s tinyconfig
  scripts/kconfig/merge_config.sh -m .config "$here/kernel.config"
  make -s olddefconfig
  check_config
  make -s -j"$(nproc)" bzImage
  make -s headers_install INSTALL_HDR_PATH="$1"
  cp arch/x86/boot/bzImage "$1"
  mkdir "$1/selftests"
  cp -r tools/testing/selftests/{user_events,kselftest.h,kselftest_harness.h} "$1/selftests"
}

finish() {
  (($? == 0)) || tail -n 20 "$log" >&2
  rm -rf "$work"
}

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
version=$(dpkg-query -W -f '${Version}' $package)
result=$cache/kernel-$version-$({ echo $recipe; cat "$here/kernel.config"; } | sha256sum | cut -c 1-12)

exec 9>"$cache/kernel.lock"
flock 9 # another process may be building the same
if [[ ! -d $result ]]; then
  work=$(mktemp -d "$cache/build-kernel.XXXXXX")
  log=$cache/build-kernel.log
  trap finish EXIT
  echo "Building $package, once; this takes some minutes (log: $log)" >&2
  mkdir "$work/source" "$work/result"
  tar xf /usr/src/$package.tar.xz -C "$work/source" --strip-components=1
  build "$work/result" >"$log" 2>&1
  mv "$work/result" "$result"
fi
echo "$result"
