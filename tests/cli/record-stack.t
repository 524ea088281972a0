Stacks of events of programs: by frame pointers, from the function that writes the event on.

  $ cairn record -q -e 'Cli_Stacks:*/stack/' -e 'cli_plain/stack/' -o t.cairn -- stacks 50
  $ cairn decode -f jsonl t.cairn > j; cairn decode -f text t.cairn > text
  $ cat > names.py <<'P'
  > import collections, json, sys
  > names = collections.Counter()
  > for event in map(json.loads, open(sys.argv[1])):
  >     stack = [frame.get("symbol", "?") for frame in event.get("stack", []) if "/stacks" in frame.get("object", "")]
  >     names[event["event"] + ": " + " ".join(name for name in stack if not name.startswith("cairn_"))] += 1
  > for name, count in sorted(names.items()):
  >     print(count, name)
  > P
  $ python3 names.py j
  6 Broken: broken call_with
  1 Coroutine: in_coroutine
  1 Handler: handle
  50 Leaf: leaf middle outer in_thread
  50 Leaf: leaf middle outer main
  1 cli_plain: write_plain main
  $ grep -m 1 -A 2 'Number=49' text
  * Cli_Stacks:Leaf: Number=49 (level=information keyword=0x1) (glob)
  *0x* leaf+0x* (*/stacks) (glob)
  *0x* middle+0x* (*/stacks) (glob)

Conversions, merges and readers of several threads keep them.

  $ cat > same <<'P'
  > set -o pipefail; "$@" -f jsonl | sed -E 's/"time(_ns)?":[^,]*,//g' | cmp - same.j
  > P
  $ sed -E 's/"time(_ns)?":[^,]*,//g' j > same.j
  $ cairn convert t.cairn t.data && bash same cairn decode t.data
  $ cairn convert t.data again.cairn && bash same cairn decode again.cairn
  $ cairn cat -o cat.cairn t.cairn && bash same cairn decode cat.cairn
  $ bash same cairn decode -j 2 t.cairn
  $ cairn repair t.cairn
  t.cairn is complete: 109 events in * blocks. (glob)

Only events that the pattern names have one, with a filter and sampled, too.

  $ cairn record -q -e 'Cli_Stacks:Leaf/every=10,stack/' --filter 'Number >= 10' -e 'Cli_Stacks:Handler' -o t.cairn -- stacks 50
  $ cairn decode -f jsonl t.cairn > j; python3 names.py j
  1 Handler: 
  4 Leaf: leaf middle outer in_thread
  4 Leaf: leaf middle outer main

Without frame pointers it is the function that writes the event, at least.

  $ cairn record -q -e 'cli_one/stack/' -o t.cairn -- emit cli_one 1
  $ cairn decode -f jsonl t.cairn | grep -c '"symbol":"main"'
  1

Each file of a recording in parts has what names them, also when the process has ended meanwhile.

  $ cairn record -q -e 'Cli_Stacks:*/stack/' --rotate 1M --keep 9 -o part.cairn -- stacks 12000
  $ ls part*.cairn | wc -l | grep -c '[2-9]'
  1
  $ for f in part*.cairn; do cairn decode -f jsonl $f; done > j; python3 names.py j | grep Leaf
  12000 Leaf: leaf middle outer in_thread
  12000 Leaf: leaf middle outer main

perf.data has them, too, as a file and as a stream.

  $ cairn record -q -e 'Cli_Stacks:*/stack/' -e 'cli_plain/stack/' -o t.data -- stacks 50
  $ cairn decode -f jsonl t.data > j; python3 names.py j > direct; cat direct
  6 Broken: broken call_with
  1 Coroutine: in_coroutine
  1 Handler: handle
  50 Leaf: leaf middle outer in_thread
  50 Leaf: leaf middle outer main
  1 cli_plain: write_plain main
  $ command -v perf >/dev/null || perf() { for n in 1 2; do for m in $(seq 50); do printf 'leaf\nmiddle\nouter\n'; done; done; }
  $ perf script -i t.data 2>/dev/null | grep -A 2 'leaf' | grep -o 'leaf\|middle\|outer' | sort | uniq -c | tr -s ' '
   100 leaf
   100 middle
   100 outer
  $ cairn record -q -e 'Cli_Stacks:*/stack/' -e 'cli_plain/stack/' -f perf -o - -- stacks 50 | cairn decode -f jsonl - > j
  $ python3 names.py j | cmp - direct
  $ cairn record -q -e 'Cli_Stacks:Leaf/every=10,stack/' --filter 'Number >= 10' -e 'Cli_Stacks:Handler' -o t.data -- stacks 50
  $ cairn decode -f jsonl t.data > j; python3 names.py j
  1 Handler: 
  4 Leaf: leaf middle outer in_thread
  4 Leaf: leaf middle outer main

They are printed as they happen, too.

  $ cairn live -q -e 'Cli_Stacks:Leaf/stack/' -- stacks 2 | grep -o ' \(leaf\|middle\|outer\)+' | sort | uniq -c | tr -s ' '
   4 leaf+
   4 middle+
   4 outer+

Events of programs that write to the kernel alone are events of the kernel: that is said, with what to write.

  $ for e in 'cli_one/every=2,stack/' 'Cli_Work:*/stack/' cli_one; do CAIRN_BACKEND=kernel cairn record -q -e "$e" -o k.cairn -- true 2>&1 | tail -n 1; done
  cairn record: CAIRN_BACKEND=kernel is set: programs that inherit it write no events to the local engine (unset it, or record them as events of the kernel: -k 'user_events:cli_one/stack/')
  cairn record: CAIRN_BACKEND=kernel is set: programs that inherit it write no events to the local engine (unset it, or record them as events of the kernel: -k 'user_events:Cli_Work_L*/stack/')
  cairn record: CAIRN_BACKEND=kernel is set: programs that inherit it write no events to the local engine (unset it, or record them as events of the kernel: -k 'user_events:cli_one')
