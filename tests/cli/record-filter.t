Only events that a filter selects are recorded; the number of the others is printed.

  $ cairn record -e cli_one --filter 'number >= 3 && number < 7 || number == 100' -o t.data -- emit cli_one 1000
  Recorded 5 events of 1 tracepoint from 1 process in * s (*/s), lost 0. (glob)
  * in t.data. To read it: cairn decode -f text t.data (glob)
  Filters and names of events excluded 995 events.
  $ cairn decode -f text t.data | sed 's/.*: number=/number=/'
  number=3 text=hello
  number=4 text=hello
  number=5 text=hello
  number=6 text=hello
  number=100 text=hello

Filters can use text, the thread's name and the CPU.

  $ cairn record -q -e cli_one --filter 'text ~ "h*" && COMM == "emit" && CPU >= 0 && number < 2' -o t.data -- emit cli_one 1000
  $ cairn decode -f jsonl t.data | wc -l
  2
  $ cairn record -q -e cli_one --filter 'COMM == "other"' -o t.data -- emit cli_one 1000
  cairn record: --filter 'COMM == "other"' selected no event
  [4]
  $ cairn decode -f jsonl t.data | wc -l
  0

The same in a trace file: also where one pattern has a filter and another has none.

  $ cairn record -q -e cli_a --filter 'number < 5 || number > 990' -e cli_c -o t.cairn -- sh -c 'emit cli_a 1000; emit cli_c 100'
  $ cairn decode -f jsonl t.cairn | grep -c cli_a; cairn decode -f jsonl t.cairn | grep -c cli_c
  14
  100
  $ cairn decode -f text t.cairn | sed 's/.*: number=/number=/' | sed -n '5,7p;$p'
  number=4 text=hello
  number=991 text=hello
  number=992 text=hello
  number=99 text=hello

Each -e has its own filter; an event that one of them selects is recorded.

  $ cairn record -q -e 'cli_a' --filter 'number < 5' -e 'cli_b' --filter 'number < 7' -e cli_c -o t.data -- sh -c 'emit cli_a 10; emit cli_b 10; emit cli_c 10'
  $ for e in a b c; do cairn decode -f jsonl t.data | grep -c cli_$e; done
  5
  7
  10
  $ cairn record -q -e 'cli_*' --filter 'number < 5' -e '*_a' --filter 'number > 7' -e cli_b -o t.data -- sh -c 'emit cli_a 10; emit cli_b 10'
  $ for e in a b; do cairn decode -f jsonl t.data | grep -c cli_$e; done
  7
  10

A filter without -e applies to all events.

  $ cairn record -q --filter 'number == 5' -o t.data -- sh -c 'emit cli_a 10; emit cli_b 10'
  $ cairn decode -f jsonl t.data | wc -l
  2

A filter that is invalid for a tracepoint selects none of its events, and is reported. One that selected no event has an exit
status of its own.

  $ cairn record -q -e 'cli_*' --filter 'nonsense > 1' -o t.data -- emit cli_one 10
  cairn record: filter nonsense > 1 (at 9: Field not found) is invalid for cli_one and selects none of its events
  cairn record: --filter 'nonsense > 1' selected no event
  [4]
  $ cairn decode -f jsonl t.data | wc -l
  0
  $ cairn record -q -e cli_one --filter 'number > 1' --filter 'number < 5' -- true
  cairn record: each -e takes one --filter; combine two with && or ||
  [2]

It is reported when the tracepoint is registered, not when the recording ends. A filter that is invalid for any tracepoint is an
error before the session begins.

  $ cairn register -q 'cli_one u32 number' & until cairn list >/dev/null 2>&1; do sleep 0.02; done
  > cairn live -e cli_one --filter 'number ~ "5"' 2>said.txt & until test -s said.txt; do sleep 0.02; done; cat said.txt; kill -INT $! %1; wait
  cairn live: filter number ~ "5" (at 10: Expecting numeric field) is invalid for cli_one and selects none of its events
  $ rm t.data; for f in '' 'number >' 'number = 1' 'number > "a"' 'number == 5 &&' '(number == 1' 'number == "a' 'COMM = "emit"' 'number > 5 && number < 3'; do cairn record -o t.data --filter "$f" -- emit cli_one 1; cairn live --filter "$f"; done 2>&1 | sed 's/^cairn [a-z]*/cairn/' | uniq -c | sed 's/^ *//'; test -e t.data
  2 cairn: --filter '' is invalid at 0: The filter is empty
  2 cairn: --filter 'number >' is invalid at 9: Invalid value (did you forget quotes)?
  2 cairn: --filter 'number = 1' is invalid at 8: Invalid operator
  2 cairn: --filter 'number > "a"' is invalid at 10: Illegal operation for field type
  2 cairn: --filter 'number == 5 &&' is invalid at 14: Meaningless filter expression
  2 cairn: --filter '(number == 1' is invalid at 0: Too many '('
  2 cairn: --filter 'number == "a' is invalid at 10: Missing matching quote
  2 cairn: --filter 'COMM = "emit"' is invalid at 6: Invalid operator
  2 cairn: --filter 'number > 5 && number < 3' can select no event: it contradicts itself
  [1]

EventHeader events are filtered by their fields, and chosen by the names that cairn decode prints; programs apply the filter.

  $ cairn record -e 'Cli_Work:Work' --filter 'Number < 8 && Name ~ "a b*"' -o w.cairn -- work 10
  Recorded 4 events of * (glob)
  * in w.cairn. * (glob)
  Filters and names of events excluded 16 events.
  $ cairn record -q -o all.cairn -e 'Cli_Work*' -- work 10; for f in 'Numbers[1] == 2' 'Numbers[7] == 0' 'level <= 3 && Peer.Address == "10.0.0.1"' 'Ms > 2 && keyword == 2' 'Big < 0 || pid == 1'; do
  >   cairn record -q -o some.cairn -e 'C*_Work:*' --filter "$f" -- work 10 2>/dev/null; cairn decode -f jsonl some.cairn | grep -o 'fields.*' | sort >some.txt
  >   cairn decode -f jsonl --filter "$f" all.cairn 2>/dev/null | grep -o 'fields.*' | sort | cmp - some.txt && wc -l <some.txt; done
  1
  0
  10
  4
  0
  $ cairn record -q -e 'Cli_Work:*' --filter 'Nosuch > 1' -o w.cairn -- work 10
  cairn record: the filter could be applied to no event: Nosuch > 1 (at 7: Field not found)
  cairn record: --filter 'Nosuch > 1' selected no event
  [4]

What programs have written before is known at once: the problem is reported while the recorder runs.

  $ cairn record -q -e 'Cli_Work_*' -o w.cairn & recorder=$!; await sessions 1; work 1 stay & program=$!; await listed Cli_Work:Work
  > kill -INT $recorder; wait $recorder; cairn live -q -e Cli_Work:Work --filter 'Nosuch > 1' 2>early.txt & reader=$!
  > await test -s early.txt; cat early.txt; kill -INT $reader; wait $reader; kill $program
  cairn live: the filter could be applied to no event: Nosuch > 1 (at 7: Field not found)
  $ cairn record -q -e 'Cli_Work:Nosuch' -o w.cairn -- work 10
  cairn record: no event matched Cli_Work:Nosuch
  [4]

Sampling: each N-th event of a thread, or N per second; what is left out is counted.

  $ cairn record -e 'cli_one/every=100/' -o t.data -- emit cli_one 1000
  Recorded 10 events * (glob)
  * in t.data. * (glob)
  Filters and names of events excluded 990 events.
  $ cairn decode -f text t.data | sed 's/.*: number=/number=/' | sed -n '1,2p;$p'
  number=0 text=hello
  number=100 text=hello
  number=900 text=hello
  $ cairn record -q -e 'Cli_Work:Work/every=3/' --filter 'Number >= 2' -o w.cairn -- work 10; cairn decode -f csv --fields Number w.cairn | grep -o '[0-9]*$'
  2
  5
  8
  $ cairn record -q -e 'cli_one/every=10,rate=20/' -o t.data -- emit cli_one 1000; cairn decode -f jsonl t.data | wc -l
  20
  $ for e in '' /every=1/ a/every=0/ a/every/ a/rate=1,b/ a/rate=x/ a/stacks/; do cairn record -e "$e" -- true; done 2>&1 | cut -c -31
  cairn record: invalid -e : expe
  cairn record: invalid -e /every
  cairn record: invalid -e a/ever
  cairn record: invalid -e a/ever
  cairn record: invalid -e a/rate
  cairn record: invalid -e a/rate
  cairn record: invalid -e a/stac
