The example of the first design's document sees recorders attach and detach, by the status page.

  $ cairn run -- v4_example 3 taken.txt >seen.txt & for i in 1 2; do visit $i cairn record -q -e test -o $i.data; done
  > cairn run -- bash -c 'cd /sys/kernel/tracing; echo 1 > events/user_events/test/enable; await grep "test: count=0x5 (5)" trace
  > grep -c "test: count=0x5 (5)" trace; echo 0 > events/enable'; wait; cat seen.txt
  1
  a recorder attached, got events, and detached
  a recorder attached, got events, and detached
  a text reader attached, got events, and detached
  $ cairn decode -f jsonl 1.data | head -n 3 | grep -o '"count": *[0-9]*' | tr -d ' '
  "count":0
  "count":1
  "count":2

Events can be added, enabled, read and deleted by the shell.

  $ cairn run -- sh -e << 'END'
  > cd /sys/kernel/tracing
  > echo 'u:from_shell u32 count; char[8] text' >> dynamic_events
  > cat dynamic_events
  > ls events/user_events
  > echo 1 > events/user_events/from_shell/enable
  > cat events/user_events/from_shell/enable user_events_status
  > /bin/echo 0 > events/user_events/from_shell/enable
  > tail -n 1 events/user_events/from_shell/format
  > echo '-:from_shell' >> dynamic_events
  > cat user_events_status | tail -n 3
  > END
  u:from_shell u32 count; char[8] text
  enable
  filter
  from_shell
  1
  1:from_shell # Used by ftrace
  
  Active: 1
  Busy: 1
  Max: 49152
  print fmt: "count=%u text=%s", REC->count, REC->text
  Active: 0
  Busy: 0
  Max: 49152

Killed programs leave no registration.

  $ cairn run -- sh -c 'for i in $(seq 100); do register_and_die; done' 2> /dev/null
  [137]
  $ cairn run -- cat /sys/kernel/tracing/user_events_status
  
  Active: 0
  Busy: 0
  Max: 49152
  $ cairn run ls /sys/kernel/tracing/events/user_events
  enable
  filter

The exit status, or the signal, is that of the program.

  $ cairn run -- sh -c 'exit 42'
  [42]
  $ { cairn run -- sh -c 'kill -TERM $$'; } 2> /dev/null; echo $?
  143
  $ cairn run -- no_such_program
  cairn run: cannot run no_such_program: No such file or directory
  [127]
  $ touch not_a_program; cairn run ./not_a_program
  cairn run: cannot run ./not_a_program: Permission denied
  [126]

Programs that use cairn register once.

  $ cairn record -q -e cli_one -o t.data -- cairn run emit cli_one 10; cairn decode -f jsonl t.data | wc -l
  10

Invalid command lines are errors.

  $ cairn run
  cairn run: no command to run
  Try: cairn run --help
  [2]
  $ cairn run --backend=none true
  cairn run: no such backend: none (auto, local, kernel)
  [2]
  $ CAIRN_TRACING_DIR=/proc/nowhere cairn run true
  cairn run: cannot use the tracing directory: No such file or directory (run cairn doctor)
  [125]

  $ cairn run --transport=none true
  cairn run: no such transport: none (auto, mount, preload)
  [2]
  $ CAIRN_RUN_TRANSPORT=none cairn run true
  cairn run: CAIRN_RUN_TRANSPORT: no such transport: none (auto, mount, preload)
  [2]

A warning is printed for a Go program that a library cannot serve.

  $ cairn run --transport=preload -- go_program
  cairn run: warning: */go_program is a Go program, whose system calls bypass the C library: it runs without emulation (glob)
