The events of a command that the filter selects are printed, and nothing else, to standard output.

  $ cairn live -e 'cli_one' -- emit cli_one 3
              emit-* [*] *: cli_one: number=0 text=hello (glob)
              emit-* [*] *: cli_one: number=1 text=hello (glob)
              emit-* [*] *: cli_one: number=2 text=hello (glob)
  $ cairn live -q -e 'cli_*' --filter 'number == 2 || number > 8' -- emit cli_one 10 | sed 's/.*number/number/'
  number=2 text=hello
  number=9 text=hello
  $ cairn live -e 'user_events:cli_one' --filter 'number == 2' -- emit cli_one 10 >/dev/null
  Filters and names of events excluded 9 events.

The lines are those of a recording, except for time and CPU: each session gets a record of its own.

  $ cairn record -q -e '*' -o t.data -- cairn live -e '*' -- sh -c 'emit cli_one 3; treewalk $TESTDIR >/dev/null' >live.txt
  $ cairn decode -f text t.data | sed 's/ *\[.*\] *[0-9.]*: / /' >record.txt
  > sed -i 's/ *\[.*\] *[0-9.]*: / /' live.txt
  $ grep -q 'level=' live.txt && cmp live.txt record.txt

Lines of several programs are printed in order of time, also if a program was preempted in the middle of an event; every event
is printed.

  $ cairn live -e 'cli_*' -- sh -c 'emit cli_a 5000 & emit cli_b 5000 & emit cli_c 5000; wait' >live.txt; wc -l <live.txt
  15000
  $ sed 's/.*\] *\([0-9.]*\): cli.*/\1/' live.txt | awk '$1 < last { late++ } $1 > last { last = $1 } END { print late ? late " late" : "in order" }'
  in order
  $ for e in a b c; do grep -o "cli_$e: number=[0-9]*" live.txt | sort -c -t= -k2n && grep -c "cli_$e" live.txt; done
  5000
  5000
  5000

Events of a program that is already running are printed while it runs.

  $ (emit cli_late 1 wait; exec sleep 60) & await listed cli_late; cairn live -q --duration 60 | head -n 1 | sed 's/.*: cli/cli/'
  > jobs -r | wc -l; kill $!
  cli_late: number=0 text=hello
  1

While it runs it is a text reader: bit 0 of the status page, not bit 1.

  $ emit cli_bits 0 wait & cairn live -q & await listed ' T '; cairn list; kill -INT $!
   T cli_bits
  $ wait

A reader and a recorder at the same time are independent.

  $ cairn record -q -e 'cli_*' -o t.data & record=$!; cairn live -q -e 'cli_*' >live.txt & await sessions 2
  > emit cli_one 100; kill -INT $!; wait $!; emit cli_one 50; kill -INT $record; wait $record
  > wc -l <live.txt; cairn decode -f jsonl t.data | wc -l
  100
  150

Lost events are reported at the position where the loss was noticed and at the end, and have an exit status of their own.

  $ cairn live -e 'lost_*' --buffer-size 512K -- emit lost_one 3000000 2>err.txt >live.txt
  [3]
  $ head -n 1 err.txt; tail -n 1 err.txt
  cairn live: [LOST * EVENTS] (glob)
  cairn live: * events were lost: their buffer was full. Use a larger --buffer-size. (glob)
  $ tr -d , <err.txt | awk -v seen=$(wc -l <live.txt) '/LOST/ { n += $4 } END { print n + seen }'
  3000000

The end of the pipe's reader ends cairn live, and not the program.

  $ cairn live -e 'cli_*' -- sh -c 'emit cli_one 10000; echo done >done.txt' | head -n 1 | sed 's/.*: cli/cli/'; cat done.txt
  cli_one: number=0 text=hello
  done

This is noticed without another event.

  $ emit cli_last 1 wait & timeout 600 cairn live -q | head -n 1 | sed 's/.*: cli/cli/'; echo ${PIPESTATUS[0]}
  cli_last: number=0 text=hello
  0

Several formats of a name can be selected by the names that perf uses.

  $ cairn register -q --multi-format --persist 'cli_many u32 number'; cairn live -q -e 'user_events_multi:cli_many.*' --duration 60 & until cairn list | grep -q ' T cli_many'; do sleep 0.02; done; kill -INT $!; wait $!; cairn events delete cli_many

Colours are used on a terminal, and not in a pipe, unless the options or the environment select otherwise.

  $ cairn live --color=always -- emit cli_one 1 | sed 's/\x1b/E/g'
  E[2m            emit-* [*] *:E[0m E[36mcli_one:E[0m number=0 text=hello (glob)
  $ script -qec 'cairn live -- emit cli_one 1' /dev/null | grep -c $'\x1b'
  1
  $ script -qec 'TERM=dumb cairn live -- emit cli_one 1' /dev/null | grep -c $'\x1b'
  0
  [1]
  $ script -qec 'NO_COLOR=1 cairn live -- emit cli_one 1' /dev/null | grep -c $'\x1b'
  0
  [1]
  $ script -qec 'cairn live --color=never -- emit cli_one 1' /dev/null | grep -c $'\x1b'
  0
  [1]

Invalid command lines are errors.

  $ cairn live --color=blue
  cairn live: invalid --color blue: expected auto, always or never
  [2]
  $ cairn live --buffer-size 1K
  cairn live: invalid --buffer-size 1K: expected 512K to 512M
  [2]
  $ cairn live -e a --filter 'x == 1' --filter 'y == 1'
  cairn live: each -e takes one --filter; combine two with && or ||
  [2]
  $ cairn live -- nowhere/to/be/found
  cairn live: cannot run nowhere/to/be/found: No such file or directory
  [127]

The exit status is that of the command; a full output is an error.

  $ cairn live -- sh -c 'emit cli_one 1 >/dev/null; exit 42' >/dev/null
  [42]
  $ cairn live -- emit cli_one 1 >/dev/full
  cairn live: cannot write the events: No space left on device
  [1]

A CAIRN_BACKEND that disables the local engine is reported.

  $ CAIRN_BACKEND=none cairn live -- emit cli_one 1
  cairn live: no tracepoint matched * (cairn list prints the registered ones)
  cairn live: CAIRN_BACKEND=none is set: programs that inherit it write no events to the local engine (unset it)
  [4]
