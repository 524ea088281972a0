Events of the kernel are recorded with those of programs, in one file and in the order of time.

  $ cairn record -q -a -k sched:sched_switch -k 'sched:sched_process_ex*' -e 'cli_*' -o t.cairn -- emit cli_one 100
  $ cairn decode -f jsonl t.cairn > j
  $ python3 - <<'P'
  > import json
  > events = [json.loads(line) for line in open("j")]
  > times = [e["time_ns"] for e in events]
  > own = {e["pid"] for e in events if e["event"] == "cli_one"}
  > seen = {e["event"] for e in events}
  > print(times == sorted(times), len(own), sum(e["event"] == "cli_one" for e in events))
  > print(sorted(seen))
  > print(all(e.get("comm") for e in events if e["pid"] in own and e["event"] == "sched_switch"))
  > print(any({e["fields"].get("prev_pid"), e["fields"].get("next_pid")} & own for e in events if e["event"] == "sched_switch"))
  > P
  True 1 100
  ['cli_one', 'sched_process_exec', 'sched_process_exit', 'sched_switch']
  True
  True

A reader that follows the specification alone reads the same; the file is complete, and can be converted.

  $ python3 $TESTDIR/trace_format.py t.cairn | cut -d' ' -f2-5 | sort > specified
  $ python3 -c 'import json
  > for line in open("j"):
  >     e = json.loads(line)
  >     print(e["cpu"], e["pid"] % 2**32, e["tid"] % 2**32, e["provider"] + ":" + e["event"])' | LC_ALL=C.UTF-8 sort | cmp - specified
  $ cairn repair t.cairn
  t.cairn is complete: * events in * blocks. (glob)
  $ cairn convert t.cairn t.data && cairn decode -f jsonl t.data | wc -l | cmp - <(wc -l < j)
  $ cairn convert t.data again.cairn 2>/dev/null && cairn decode -f jsonl again.cairn | wc -l | cmp - <(wc -l < j)
  $ cairn cat -o cat.cairn t.cairn && cairn decode -f jsonl cat.cairn | wc -l | cmp - <(wc -l < j)

Strings of the kernel that events have pointers to are in the file, for readers on other machines; and are kept by conversions.

  $ cairn record -q -a -k rcu:rcu_utilization -o rcu.cairn -- sleep 0.2; cairn record -q -a -k rcu:rcu_utilization -o rcu.data -- sleep 0.2
  $ cairn convert rcu.cairn back.data 2>/dev/null; cairn convert rcu.data back.cairn 2>/dev/null; cairn cat -o cat.cairn back.cairn rcu.cairn
  $ for file in rcu.cairn rcu.data back.data back.cairn cat.cairn; do
  >     grep -aqE '0x[0-9a-f]+ : "Start context switch"$' $file; echo $?; cairn decode -f text -e rcu_utilization $file | grep -vcE ': (Start|End) [a-zA-Z]'
  > done | paste -s -d ' '
  0 0 0 0 0 0 0 0 0 0
  $ cat > strings.py <<'P'
  > import sys; sys.path.insert(0, sys.argv[1]); import trace_format
  > print('"Start context switch"' in trace_format.TraceFile(open(sys.argv[2], "rb").read()).strings.values())
  > P
  $ for file in t.cairn rcu.cairn cat.cairn; do python3 strings.py $TESTDIR $file; done | paste -s
  True	True	True
  $ cairn decode -f jsonl --head 1 -e rcu_utilization rcu.cairn | grep -o '"fields.*'
  "fields":{"s":"0x*"},"symbols":{"s":"* *"}} (glob)
  $ cairn record -q -e 'cli_*' -o programs.cairn -- emit cli_one 1; cairn record -q -k @switches -o switches.cairn -- true
  $ for file in programs switches; do python3 strings.py $TESTDIR $file.cairn; done
  False
  False

Without -a they are those of the command and its children, from its start on.

  $ cairn record -q -k 'sched:sched_process_exec' -k 'sched:sched_process_exit' -o t.cairn -- sh -c 'env true; env true; exit 0'
  $ cairn decode -f jsonl t.cairn | grep -c sched_process_exec
  5
  $ cairn stats t.cairn | awk '/sched/ { print $1, $NF }'
  5 sched:sched_process_exec
  3 sched:sched_process_exit

perf.data, too; and a filter, which the kernel applies.

  $ cairn record -q -k 'sched:sched_process_exec' --filter 'filename ~ "*true"' -o t.data -- sh -c 'env true; env true; exit 0'
  $ cairn decode -f jsonl t.data | wc -l
  2
  $ cairn record -q -k 'sched:sched_process_exec' --filter 'nonsense > 1' -o refused.data -- echo ran; test ! -e refused.data
  cairn record: the filter is invalid for sched:sched_process_exec (Invalid argument): none of its events is recorded

Stacks: of the kernel, and of the program.

  $ cairn record -q -g -k sched:sched_process_exit -k 'syscalls:sys_enter_exit_group' -o t.cairn -- emit cli_one 1
  $ cairn decode -f jsonl t.cairn > j; cairn decode -f text t.cairn > text
  $ python3 - <<'P'
  > import json
  > events = {e["event"]: e["stack"] for e in map(json.loads, open("j")) if "stack" in e}
  > kernel = {f.get("symbol") for f in events["sched_process_exit"]}
  > print("do_exit" in kernel)
  > print(any("libc" in f.get("object", "") for f in events["sys_enter_exit_group"]))
  > P
  True
  True
  $ grep -c '0x.* do_exit+0x.* (\[kernel.kallsyms\])$' text
  1
  $ cairn record -q -k sched:sched_process_exit/stack/ -k sched:sched_process_exec -o stacks.cairn -- true
  $ cairn decode -f jsonl stacks.cairn | python3 -c 'import json, sys
  > print(sorted((e["event"], "stack" in e) for e in map(json.loads, sys.stdin)))'
  [('sched_process_exec', False), ('sched_process_exit', True)]

They are kept by conversions, by a merge, and when several threads decode. (The time of day may differ by some ns.)

  $ cat > same <<'P'
  > set -o pipefail; "$@" -f jsonl | sed -E 's/"time(_ns)?":[^,]*,//g' | cmp - j
  > P
  $ sed -i -E 's/"time(_ns)?":[^,]*,//g' j
  $ cairn convert t.cairn t.data; bash same cairn decode t.data
  $ bash same cairn decode -j 2 t.data
  $ cairn convert t.data again.cairn; bash same cairn decode again.cairn
  $ cairn cat -o cat.cairn t.cairn && bash same cairn decode cat.cairn
  $ tail -n 1 j > last; mv last j; bash same cairn decode --tail 1 t.data
  $ cairn record -q --call-graph dwarf,1K -k sched:sched_process_exit -o t.data -- emit cli_one 1; cairn decode -f text t.data | grep -c do_exit
  1
  $ cairn record --call-graph nonsense -k sched:sched_process_exit -- true
  cairn record: invalid --call-graph nonsense: expected fp, dwarf, or dwarf,SIZE up to 65000
  [2]

Processes that run already.

  $ sleep 60 & cairn record -q -k 'sched:sched_process_exit' -p $! -o t.cairn -- sh -c 'kill $0; while grep -q "^State:.[^Z]" /proc/$0/status 2>/dev/null; do :; done' $!
  $ cairn stats t.cairn | awk '/sched/ { print $1, $NF }'
  1 sched:sched_process_exit

A command that ends at once is recorded whole.

  $ cairn record -q -k sched:sched_process_exec -k sched:sched_process_exit -o t.cairn -- false; cairn stats t.cairn | awk '/sched/ { print $1, $NF }'
  1 sched:sched_process_exec
  1 sched:sched_process_exit

What cannot be recorded is said, and nothing runs.

  $ cairn record -a -k 'nosuch:event' -o t.cairn -- echo ran
  cairn record: cannot record events of the kernel: no tracepoint of the kernel matches nosuch:event
  [1]
  $ cairn record -k 'sched:sched_switch' -p 1,x
  cairn record: invalid --pid 1,x: expected numbers, separated by commas
  [2]
  $ cairn record -k 'sched:sched_switch' -p 4194304 -o t.cairn -- echo ran
  cairn record: cannot record events of the kernel: there is no process 4194304
  [1]
  $ cairn record -k 'sched:sched_switch'
  cairn record: whose events of the kernel? Add -a (all processes), -p PID, -u USER, or a COMMAND
  [2]
  $ cairn record -p 1 -- echo ran
  cairn record: -p and -u select events of the kernel: add -k PATTERN
  [2]
  $ cairn record -a -p 1 -k 'sched:*' -- echo ran
  cairn record: -a records all processes: it cannot be used with -p or -u
  [2]

What threads waited for between two events: all states together are the whole time. No other program has such events, which -a
would record, too.

  $ cairn record -q -a --kernel sched -o t.cairn -- emit waited_for 20
  $ cairn ask -f csv waits --from waited_for --to waited_for --top 3 t.cairn 2>sql > waits; head -1 waits
  name,tid,start,ms,state,who,state_ms
  $ python3 -c 'import collections, csv
  > found = collections.defaultdict(list)
  > for row in csv.DictReader(open("waits")):
  >     found[row["start"]].append((float(row["ms"]), float(row["state_ms"]), row["state"]))
  > print(len(found), all(abs(rows[0][0] - sum(row[1] for row in rows)) < 0.001 for rows in found.values()))'
  3 True
  $ cairn query -f csv t.cairn "$(cat sql)" | cmp - waits
  $ cairn ask waits --from waited_for --to Absent t.cairn
  cairn ask: there is no event Absent (cairn query --tables lists them)
  [4]
  $ cairn ask waits --from waited_for t.cairn
  cairn ask: --from and --to are options of waits, and need each other
  [2]

Without -a the scheduler's events lack what ran meanwhile: that is said.

  $ cairn record --kernel sched -o t.cairn -- true 2>&1 | grep -c 'not what ran instead: add -a for that$'
  1
  $ cairn record -q --kernel sched -o t.cairn -- sh -c 'sleep 0.01; sleep 0.01; :'
  $ cairn query -f csv t.cairn "SELECT state, count(*) > 0 FROM thread_state WHERE comm = 'sh' AND state IN ('running', 'sleeping') AND is_open = 0 GROUP BY state"
  state,count(*) > 0
  running,1
  sleeping,1
  $ cairn convert t.cairn t.data && cairn query -f csv t.data "SELECT count(*) > 0 FROM thread_state WHERE comm = 'sh' AND state = 'running' AND is_open = 0" | tail -n 1
  1
  $ cairn record -a --kernel sched -o t.cairn -- true 2>&1 | grep 'add -a' || echo none
  none

Any user may record when the threads of a command left a CPU and continued, and nothing else.

  $ mkdir user && chown 65534 user && cp $(command -v cairn) user && env -u CAIRN_TRACING_DIR XDG_RUNTIME_DIR=$PWD/user setpriv --reuid 65534 --clear-groups user/cairn record -q --kernel switches -o user/s.cairn -- sh -c 'sleep 0.01; sleep 0.01; :'
  $ cairn query -f csv user/s.cairn "SELECT state, count(*) > 0 FROM thread_state WHERE is_open = 0 AND state IN ('running', 'sleeping') GROUP BY state"
  state,count(*) > 0
  running,1
  sleeping,1
  $ cairn cat -o cat.cairn user/s.cairn
  $ for file in user/s cat; do cairn query -f csv $file.cairn "SELECT tid, comm, state, count(*) FROM thread_state GROUP BY 1, 2, 3"; done | sort | uniq -c | awk '$1 != 2'

A recorder that takes the place of a killed one records the kernel's events again, and reports the gap.

  $ cairn session start gap -q -a -k sched:sched_process_exec -e cli_one -o gap.cairn && emit cli_one 10 wait; env true
  > kill -9 $(cairn session list | awk '/^gap/ {print $2}'); cairn session start gap && env true; emit cli_one 5 wait
  > cairn session stop gap
  cairn record: this recorder took the place of one that was killed: the kernel's events that the other had not written, and those in between, are missing
  */gap.cairn (glob)
  $ for file in gap*.cairn; do cairn decode -f jsonl $file 2>/dev/null | grep -c '"cli_one"'; done | awk '{ n += $1 } END { print n }'
  15
  $ cairn stats gap.cairn >/dev/null
  cairn stats: gap.cairn: its recorder took the place of one that was killed: the kernel's events that the other had not written, and those in between, are missing
  $ cairn query -f csv gap.cairn 'SELECT * FROM losses' 2>/dev/null
  path,cause,events,processes
  gap.cairn,the recorder took the place of one that was killed: events of the kernel in between are missing,,
  $ cairn convert gap.cairn gap.data 2>/dev/null; cairn decode gap.data 2>&1 >/dev/null | grep -c 'took the place'
  1
  $ cairn decode -f jsonl gap.cairn 2>/dev/null | grep -c sched_process_exec | awk '{print ($1 >= 2)}'
  1
