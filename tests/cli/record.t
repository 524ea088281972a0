A command's events are recorded and decoded.

  $ cairn record -e 'cli_*' -o t.data -- emit cli_one 1000
  Recorded 1,000 events of 1 tracepoint from 1 process in * s (*/s), lost 0. (glob)
  * in t.data. To read it: cairn decode -f text t.data (glob)
  $ cairn decode -f jsonl t.data | wc -l
  1000

A stream goes through a pipe, and nothing else to standard output.

  $ cairn record -q -e cli_one -o - -- emit cli_one 10 | cairn decode -f jsonl - | wc -l
  10

A program that is already running is recorded too.

  $ emit cli_late 100 wait & emit=$!; await listed cli_late; cairn record -q -e 'cli_late' -o t.data &
  > wait $emit; kill -INT $!; wait $!
  $ cairn decode -f jsonl t.data | wc -l
  100

A trace file says where the source has an event: file, line and function.

  $ cairn record -q -e 'Cli_Work*' -o w.cairn -- work 1; grep -aoE 'tests/cli/work\.c[a-z_]+' w.cairn | sort -u
  tests/cli/work.cmain

Two programs at the same time are recorded completely.

  $ cairn record -q -e 'cli_*' -o t.data -- sh -c 'emit cli_a 5000 & emit cli_b 5000; wait'
  $ cairn decode -f jsonl t.data | grep -c cli_a
  5000
  $ cairn decode -f jsonl t.data | grep -c cli_b
  5000

Two sessions at the same time get the events that they select.

  $ cairn record -q -e 'cli_a' -o a.data & a=$!; cairn record -q -e 'cli_*' -o b.data &
  > await sessions 2; emit cli_a 100; emit cli_b 100; kill -INT $a $!; wait
  $ cairn decode -f jsonl a.data | wc -l
  100
  $ cairn decode -f jsonl b.data | wc -l
  200

A killed program loses no event that it wrote; its status is the recorder's.

  $ cairn record -q -e 'cli_*' -o t.data -- emit cli_killed 7777 kill
  cairn record: emit was ended by signal 9 (Killed)
  [137]
  $ cairn decode -f jsonl t.data | wc -l
  7777

Ctrl-C ends a recording, and the file is complete.

  $ cairn record -q -o t.data & await sessions 1; emit cli_one 50; kill -INT $!; wait $!
  $ cairn decode -f jsonl t.data | wc -l
  50

The command's exit status is the recorder's.

  $ cairn record -q -e '*' -o t.data -- sh -c 'emit cli_one 1; exit 42'
  [42]

A command that is still running at the end of --duration is terminated, which is not a failure.

  $ cairn record -q -e 'cli_*' -o t.data --duration 2 -- sh -c 'emit cli_one 10; exec sleep 60'
  $ cairn decode -f jsonl t.data | wc -l
  10

A named pipe or a device gets a stream.

  $ mkfifo stream; cairn decode -f jsonl stream >got.txt & cairn record -q -o stream -- emit cli_one 3; wait; wc -l <got.txt
  3
  $ cairn record -o /dev/null -- emit cli_one 3
  Recorded 3 events * (glob)
