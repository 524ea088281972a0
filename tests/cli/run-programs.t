A program may close all descriptors, and begin again.

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

A program may replace the descriptor with another file.

  $ cairn run -- sh -c 'by_book dup2; grep -o "by_book: .*" /sys/kernel/tracing/trace'
  wrote 1
  wrote 2
  by_book: a=0x2 (2)

Programs that it starts by vfork or posix_spawn can write to the inherited descriptor.

  $ cairn run -- sh -c 'by_book vfork; by_book spawn; grep -o "by_book: .*" /sys/kernel/tracing/trace'
  wrote 9
  wrote 2
  wrote 9
  wrote 2
  by_book: a=0x9 (9)
  by_book: a=0x2 (2)
  by_book: a=0x9 (9)
  by_book: a=0x2 (2)

A library does not serve a program that is started with an empty environment, and its writes fail.

  $ cairn run --transport=preload -- sh -c 'by_book bare; grep -o "by_book: .*" /sys/kernel/tracing/trace'
  9: Operation not permitted
  wrote 2
  by_book: a=0x2 (2)
  $ cairn run --transport=preload -- env -i $(command -v static_program)
  no user_events
  $ cairn run --transport=preload -- sh -c 'static_program; test -w /sys/kernel/tracing/user_events_data; echo $?'
  no user_events
  0

Nor one that raises its privileges: it runs without emulation, and a warning is printed.

  $ if [ $(id -u) = 0 ]; then cp $(command -v by_book) own; chown 65534 own; chmod u+s own; else ln -s $(command -v su) own; fi
  $ cairn run --transport=preload ./own --version 2>&1 | grep ^cairn
  cairn run: warning: ./own raises its privileges (setuid, setgid or capabilities): it runs without emulation

A script is emulated, with any interpreter.

  $ printf '#!/bin/sh\nby_book spawn\n' > script; chmod +x script; cairn run ./script
  wrote 9
  wrote 2
  $ printf '#!/usr/bin/env python3\nimport os\nprint(os.path.exists("/sys/kernel/tracing/user_events_data"))\n' > script; cairn run ./script
  True

No registration is left.

  $ cairn status
  
  Active: 0
  Busy: 0
  Max: 49152
