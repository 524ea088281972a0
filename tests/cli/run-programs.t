A program may close all it has, and begin again.

  $ for i in closefrom close_range close_all; do cairn run -- by_book $i; done
  wrote 1
  2: Bad file descriptor
  wrote 3
  enabled: 1 1
  wrote 1
  2: Bad file descriptor
  wrote 3
  enabled: 1 1
  wrote 1
  2: Bad file descriptor
  wrote 3
  enabled: 1

Another file may get the descriptor's number.

  $ cairn run -- sh -c 'by_book dup2; grep -o "by_book: .*" /sys/kernel/tracing/trace'
  wrote 1
  wrote 2
  by_book: a=0x2 (2)

Programs that it starts by vfork or posix_spawn write by what they inherit.

  $ cairn run -- sh -c 'by_book vfork; by_book spawn; grep -o "by_book: .*" /sys/kernel/tracing/trace'
  wrote 9
  wrote 2
  wrote 9
  wrote 2
  by_book: a=0x9 (9)
  by_book: a=0x2 (2)
  by_book: a=0x9 (9)
  by_book: a=0x2 (2)

One that is started with an empty environment is not served, and is told so when it writes.

  $ cairn run -- sh -c 'by_book bare; grep -o "by_book: .*" /sys/kernel/tracing/trace'
  9: Bad file descriptor
  wrote 2
  by_book: a=0x2 (2)
  $ cairn run -- env -i $(command -v static_program)
  no user_events
  $ cairn run -- sh -c 'static_program; test -w /sys/kernel/tracing/user_events_data; echo $?'
  no user_events
  0

A program with rights of its own runs, and a warning says that it is not served.

  $ if [ $(id -u) = 0 ]; then cp $(command -v by_book) own; chown 65534 own; chmod u+s own; else ln -s $(command -v su) own; fi
  $ cairn run ./own --version 2>&1 | grep ^cairn
  cairn run: warning: ./own raises its privileges (setuid, setgid or capabilities): it runs without emulation

A script is served, whatever runs it.

  $ printf '#!/bin/sh\nby_book spawn\n' > script; chmod +x script; cairn run ./script
  wrote 9
  wrote 2
  $ printf '#!/usr/bin/env python3\nimport os\nprint(os.path.exists("/sys/kernel/tracing/user_events_data"))\n' > script; cairn run ./script
  True

Nothing of all that is left.

  $ cairn status
  
  Active: 0
  Busy: 0
  Max: 49152
