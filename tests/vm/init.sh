#!/bin/bash
# The first process of the guest: mounts the file systems that Debian's programs expect, runs the command, powers off.
# usage: init WORK OPTIONS   (tests/vm/boot.sh writes the files in WORK; OPTIONS are for mounting over 9p)
work=$1 nine=$2
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8

while read -r tag directory; do
  visible+=("$tag $directory")
done <"$work/mounts"

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs run /run
mount -t tmpfs tmp /tmp
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm
mount -t devpts pts /dev/pts
mount -t tracefs tracefs /sys/kernel/tracing

mkdir -p "$work"
mount -t 9p -o "$nine,cache=mmap" work "$work"
for share in "${visible[@]}"; do
  directory=${share#* }
  [[ -e $directory ]] || { mkdir -p "$directory" && mount -t 9p -o "$nine,cache=loose,ro" "${share%% *}" "$directory"; }
done

cd "$work" || busybox poweroff -f
bash ./command </dev/null
echo $? >status
sync
busybox poweroff -f
