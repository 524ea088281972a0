A library serves the files by their paths, to shells and what they start.

  $ cairn run --transport=preload -- sh -e << 'END'
  > T=/sys/kernel/tracing
  > echo 'u:from_shell u32 count; char[8] text' >> $T/dynamic_events
  > cat $T/dynamic_events
  > echo 1 > $T/events/user_events/from_shell/enable
  > cat $T/events/user_events/from_shell/enable $T/user_events_status
  > /bin/echo 0 > $T/events/user_events/from_shell/enable
  > tail -n 1 $T/events/user_events/from_shell/format
  > echo '-:from_shell' >> $T/dynamic_events
  > tail -n 3 < $T/user_events_status
  > END
  u:from_shell u32 count; char[8] text
  1
  1:from_shell # Used by ftrace
  
  Active: 1
  Busy: 1
  Max: 49152
  print fmt: "count=%u text=%s", REC->count, REC->text
  Active: 0
  Busy: 0
  Max: 49152

The example of the first design's document sees recorders attach and detach, by the status page.

  $ cairn run --transport=preload -- v4_example 2 taken.txt >seen.txt & for i in 1 2; do visit $i cairn record -q -e test -o $i.data; done; wait; cat seen.txt
  a recorder attached, got events, and detached
  a recorder attached, got events, and detached
  $ cairn decode -f jsonl 1.data | head -n 2 | grep -o '"count": *[0-9]*' | tr -d ' '
  "count":0
  "count":1

A program may close all descriptors, and begin again; replace one with another file; and write in a child of fork.

  $ for i in closefrom close_range; do cairn run --transport=preload -- by_book $i; done
  wrote 1
  2: Bad file descriptor
  wrote 3
  enabled: 1 1
  wrote 1
  2: Bad file descriptor
  wrote 3
  enabled: 1 1
  $ cairn run --transport=preload -- sh -c 'by_book dup2; grep -o "by_book: .*" /sys/kernel/tracing/trace'
  wrote 1
  wrote 2
  by_book: a=0x2 (2)

What it does not serve fails, and nothing is lost silently: a descriptor of user_events_data in an executed program, directories.

  $ cairn run --transport=preload -- sh -c 'by_book spawn; grep -o "by_book: .*" /sys/kernel/tracing/trace'
  9: Operation not permitted
  wrote 2
  by_book: a=0x2 (2)
  $ cairn run --transport=preload -- sh -c 'cd /sys/kernel/tracing/events/user_events' 2>/dev/null
  [2]

Killed programs leave no registration.

  $ cairn run --transport=preload -- sh -c 'for i in $(seq 100); do register_and_die; done' 2> /dev/null
  [137]
  $ cairn run --transport=preload -- cat /sys/kernel/tracing/user_events_status
  
  Active: 0
  Busy: 0
  Max: 49152

The exit status, or the signal, is that of the program. Programs that use cairn register once.

  $ cairn run --transport=preload -- sh -c 'exit 42'
  [42]
  $ { cairn run --transport=preload -- sh -c 'kill -TERM $$'; } 2> /dev/null; echo $?
  143
  $ cairn record -q -e cli_one -o t.data -- cairn run --transport=preload emit cli_one 10; cairn decode -f jsonl t.data | wc -l
  10
