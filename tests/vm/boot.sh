#!/bin/bash
# Boots a kernel in a virtual machine whose files are this machine's, and runs a command there.
# usage: tests/vm/boot.sh BZIMAGE WORK SECONDS COMMAND [ARGUMENT...]
#
# The guest sees the whole root file system read-only, with a /tmp, /run and /dev of its own. WORK is writable. Folders
# in $CAIRN_GUEST_SHARES (one a line) that those of the guest would hide are there too, read-only, at their own paths.
# The command runs as root in WORK; its output comes out here, its exit status is ours. 124: the time limit was reached;
# 125: the guest went down without finishing.
set -euo pipefail
bzimage=$1 work=$(realpath "$2") limit=$3
shift 3

here=$(cd "$(dirname "$0")" && pwd)
nine=trans=virtio,version=9p2000.L,msize=262144
# One thread emulates both processors: with two, qemu 7.2 may run code that the other has patched since (README.md).
qemu=(qemu-system-x86_64 -nodefaults -no-user-config -display none -serial stdio -no-reboot
  -accel "tcg,thread=single" -cpu max -smp 2 -m 2048 -kernel "$bzimage")

share() { # TAG FOLDER OPTIONS
  qemu+=(-fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap$3" -device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

# What tests/vm/init.sh finds in WORK.
cp "$here/init.sh" "$work/init"
printf '%q ' "$@" >"$work/command"
: >"$work/mounts"
rm -f "$work/status"

share root / ,readonly=on
share work "$work" ''
tags=0
while read -r folder; do
  [[ -n $folder ]] || continue
  tags=$((tags + 1))
  share share$tags "$folder" ,readonly=on
  echo "share$tags $folder" >>"$work/mounts"
done <<<"${CAIRN_GUEST_SHARES:-}"

kernel_line="console=ttyS0 quiet panic=-1 root=root rootfstype=9p rootflags=$nine,cache=loose ro init=$work/init -- $work $nine"
timeout --foreground "$limit" "${qemu[@]}" -append "$kernel_line" </dev/null | tr -d '\r' || exit $?
[[ -s $work/status ]] || exit 125
exit "$(<"$work/status")"
