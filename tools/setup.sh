#!/bin/bash
# Installs the Debian packages that the named purposes need: with apt-get as root; otherwise prints the command.
# usage: tools/setup.sh PURPOSE...   (build, test, kernel, bench, fuzz, windows, lint)
set -euo pipefail

declare -A packages=(
  [build]="gcc libc6-dev make meson ninja-build pkg-config libzstd-dev libsqlite3-dev libedit-dev zlib1g-dev libdw-dev libprotobuf-c-dev protobuf-c-compiler libcurl4-openssl-dev libbabeltrace2-dev"
  [test]="g++ clang lld cmake autoconf automake libcmocka-dev python3 mandoc wrk babeltrace2 python3-bt2 chromium CLANG-RT qemu-system-x86 qemu-system-misc qemu-system-arm QEMU-RISCV gcc-riscv64-linux-gnu gcc-aarch64-linux-gnu gcc-s390x-linux-gnu libc6-dev-s390x-cross libc6-dev-arm64-cross qemu-user golang-go musl-tools perl ruby rustc"
  [kernel]="linux-source-6.12 qemu-system-x86 busybox-static flex bison libelf-dev libssl-dev bc cpio kmod rsync xz-utils linux-perf trace-cmd bpftrace libbpf-dev clang"
  [bench]="lttng-tools liblttng-ust-dev libspdlog-dev g++ babeltrace2 linux-perf"
  [fuzz]="clang CLANG-RT"
  [windows]="gcc-mingw-w64-x86-64-posix wine wine64"
  [lint]="clang clang-format clang-tidy"
)

log=$(mktemp)
trap 'rm -f "$log"' EXIT
wait_seconds=${CAIRN_APT_WAIT:-1800} # for another apt to finish

# Sets `installed` to the names of all installed packages, with a space before and after each.
read_installed() {
  installed=" $(dpkg-query -W -f '${Package} ${Status}\n' 2>/dev/null | sed -n 's/^\([^ ]*\) install ok .*/\1/p' | tr '\n' ' ')" ||
    installed=" "
}

is_installed() { # PACKAGE
  [[ $installed == *" $1 "* ]]
}

# Runs apt-get. Waits for the locks of another apt, which often runs on a machine that has just started.
apt() { # ARGUMENTS...
  local end=$((SECONDS + wait_seconds)) reported=
  until LC_ALL=C apt-get -o DPkg::Lock::Timeout=10 "$@" >"$log" 2>&1; do
    grep -Eq '^E: .*(Could not get lock|Unable to (acquire|lock)|is another process using it)' "$log" || return 1
    ((SECONDS < end)) || return 1
    [[ $reported ]] || echo "cairn: waiting for another apt to finish"
    reported=1
    sleep 1
  done
}

is_known() { # PACKAGE: true if apt can install it
  apt-cache show "$1" >/dev/null 2>&1
}

# Prints the major version of the installed clang, or of the one that will be installed.
clang_number() {
  local number
  number=$(clang --version 2>/dev/null | grep -Eom 1 'version [0-9]+' || true)
  [[ $number ]] || number=$(apt-cache depends clang 2>/dev/null | grep -Eom 1 'Depends: clang-[0-9]+' || true)
  grep -Eo '[0-9]+$' <<<"$number"
}

# Sets `package` to the package of a word, or to "". Words in capitals are packages whose names depend on Debian's version.
find_package() { # WORD
  local number
  package=$1
  case $1 in
  CLANG-RT) # the libraries of clang's sanitizers and fuzzers
    if number=$(clang_number); then package=libclang-rt-$number-dev; else package=libclang-rt-dev; fi
    ;;
  QEMU-RISCV) # a separate package since Debian 13
    if is_known qemu-system-riscv; then package=qemu-system-riscv; else package=; fi
    ;;
  esac
}

find_missing() { # PURPOSE...
  local purpose word package
  read_installed
  missing=()
  for purpose in "$@"; do
    for word in ${packages[$purpose]}; do
      find_package "$word"
      [[ -z $package ]] || is_installed "$package" || [[ " ${missing[*]-} " == *" $package "* ]] || missing+=("$package")
    done
  done
}

find_missing "$@"
((${#missing[@]})) || exit 0

if ! command -v apt-get >/dev/null; then
  echo "cairn: install these Debian packages, or their equivalents: ${missing[*]}" >&2
  exit 1
elif ((EUID)); then
  echo "cairn: missing packages. Run:  sudo apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "cairn: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
install() { apt install -y -qq --no-install-recommends "${missing[@]}"; }
# A fresh machine has no list of packages: names that depend on Debian's version are known after the first update.
install || { apt update -qq && find_missing "$@" && install; } || { tail -n 20 "$log" >&2; exit 1; }

# Reconfigures a build directory that was configured without them.
build=${BUILD:-build}
[[ ! -f $build/build.ninja ]] || meson setup --reconfigure "$build" >"$log" || { tail -n 20 "$log" >&2; exit 1; }
