#!/bin/bash
# Boots a kernel in a virtual machine that has this machine's files, and runs a command there.
# usage: tests/vm/boot.sh BZIMAGE WORK SECONDS COMMAND [ARGUMENT...]
#
# The guest sees the whole root file system read-only, with a /tmp, /run and /dev of its own. WORK is writable. Directories
# in $CAIRN_GUEST_SHARES (one a line), which the guest's own would hide, are mounted too, read-only, at their own paths.
# The command runs as root in WORK; this script prints its output and returns its exit status. 124: the time limit was
# reached; 125: the guest ended before the command did.
set -euo pipefail
bzimage=$1 work=$(realpath "$2") limit=$3
shift 3

here=$(cd "$(dirname "$0")" && pwd)
nine=trans=virtio,version=9p2000.L,msize=262144
# One thread emulates both processors: with two, qemu 7.2 may run code that the other has patched since (README.md).
qemu=(qemu-system-x86_64 -nodefaults -no-user-config -display none -serial stdio -no-reboot
  -accel "tcg,thread=single" -cpu max -smp 2 -m 2048 -kernel "$bzimage")

share() { # TAG DIRECTORY OPTIONS
  qemu+=(-fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap$3" -device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

# The files in WORK that tests/vm/init.sh reads.
cp "$here/init.sh" "$work/init"
printf '%q ' "$@" >"$work/command"
: >"$work/mounts"
rm -f "$work/status"

share root / ,readonly=on
share work "$work" ''
tags=0
while read -r directory; do
  [[ -n $directory ]] || continue
  tags=$((tags + 1))
  share share$tags "$directory" ,readonly=on
  echo "share$tags $directory" >>"$work/mounts"
done <<<"${CAIRN_GUEST_SHARES:-}"

kernel_line="console=ttyS0 quiet panic=-1 root=root rootfstype=9p rootflags=$nine,cache=loose ro init=$work/init -- $work $nine"
timeout --foreground "$limit" "${qemu[@]}" -append "$kernel_line" </dev/null | tr -d '\r' || exit $?
[[ -s $work/status ]] || exit 125
exit "$(<"$work/status")"
