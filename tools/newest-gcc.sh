#!/bin/bash
# Unpacks the newest gcc of Debian's unstable suite, with what it needs to build this tree, into a directory for chroot:
# nothing is installed on the machine. Each version is unpacked once; if the archive cannot be reached, one that was unpacked
# before is used. Prints the directory and the major version. If there is none, prints the reason to standard error and exits
# with 1.
# usage: tools/newest-gcc.sh
set -euo pipefail

suite=sid
recipe=1 # to be incremented with each change of this script that changes the result
tools="libc6-dev libc-bin libzstd-dev zlib1g-dev libcmocka-dev meson ninja-build pkgconf dash coreutils grep sed diffutils mawk procps"
cache=${CAIRN_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/cairn}

fail() { # REASON
  echo "$1" >&2
  exit 1
}

# Prints the address of the archive from which the machine has its packages: it has the unstable suite too.
find_archive() {
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-none}")
  apt-get indextargets 'Created-By: Packages' --format '$(SITE) $(RELEASE) $(COMPONENT)' 2>/dev/null |
    awk -v codename="$codename" '$3 == "main" && $2 ~ "^(" codename "|stable|testing|unstable|sid)$" { print $1; exit }'
}

# Runs apt-get or apt-cache as on a machine that has nothing installed and only this suite configured.
apt_with() { # PROGRAM ARGUMENTS...
  local program=$1
  shift
  "$program" -o Dir::Etc::SourceList="$lists/one.sources" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null -o Dir::State="$lists" \
    -o Dir::State::Status="$lists/status" -o Dir::Cache="$lists/cache" -o APT::Sandbox::User= "$@"
}

read_lists() {
  local archive
  archive=$(find_archive)
  [[ $archive ]] || { echo "no source of Debian packages is configured"; return 1; }
  mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial"
  : >"$lists/status"
  # The suite must be signed with the machine's own keys.
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$archive" "$suite" \
    /usr/share/keyrings/debian-archive-keyring.gpg >"$lists/one.sources"
  apt_with apt-get update -qq -o Acquire::Retries=3 >"$lists/log" 2>&1 && apt_with apt-cache policy g++ | grep -q "$archive" ||
    { echo "the list of $suite cannot be read from $archive: $(tail -n 1 "$lists/log")"; return 1; }
}

newest() {
  apt_with apt-cache pkgnames g++- | grep -Eo '^g\+\+-[0-9]+$' | sort -t - -k 2 -n | tail -n 1 | cut -d - -f 2
}

version_of() { # PACKAGE
  apt_with apt-cache policy "$1" | sed -n 's/^ *Candidate: //p'
}

unpack() { # NUMBER RESULT
  local number=$1 root=$2 package
  # The packages are not configured: these links, which they expect, must be made.
  mkdir -p "$root"/usr/{bin,lib,lib64,sbin} "$root"/{dev,proc,tmp,source,build}
  for package in bin lib lib64 sbin; do ln -s "usr/$package" "$root/$package"; done
  # shellcheck disable=SC2086
  apt_with apt-get install -y -qq --no-install-recommends --download-only "gcc-$number" "g++-$number" $tools
  for package in "$lists"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root"
  done
  ln -sf dash "$root/usr/bin/sh"
  [[ -e $root/usr/bin/awk ]] || ln -s mawk "$root/usr/bin/awk"
  ln -s "gcc-$number" "$root/usr/bin/gcc"
  ln -s "g++-$number" "$root/usr/bin/g++"
  echo "$number" >"$root/number"
}

for tool in apt-get apt-cache dpkg-deb; do
  command -v $tool >/dev/null || fail "$tool is not installed: it is needed to get compilers from Debian's packages"
done
[[ -r /usr/share/keyrings/debian-archive-keyring.gpg ]] || fail "the keys of Debian's archive are not installed"

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
exec 9>"$cache/gcc.lock"
flock 9 # another process may be unpacking the same
lists=$(mktemp -d "$cache/gcc-lists.XXXXXX")
trap 'rm -rf "$lists"' EXIT

if reason=$(read_lists); then
  number=$(newest)
  [[ $number ]] || fail "$suite has no gcc"
  root=$cache/gcc-$recipe-$(version_of "gcc-$number")
  if [[ ! -f $root/number ]]; then
    echo "Unpacking gcc $number of $suite, once" >&2
    rm -rf "$cache"/gcc-[0-9]*
    work=$(mktemp -d "$cache/gcc-unpack.XXXXXX")
    trap 'rm -rf "$lists" "$work"' EXIT
    unpack "$number" "$work" >"$lists/log" 2>&1 || fail "gcc $number cannot be unpacked: $(tail -n 1 "$lists/log")"
    chmod 755 "$work"
    mv "$work" "$root"
  fi
else
  root=$(find "$cache" -maxdepth 1 -name "gcc-$recipe-*" | tail -n 1)
  [[ $root ]] || fail "$reason"
fi
echo "$root $(<"$root/number")"
