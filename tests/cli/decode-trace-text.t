Text of the kernel's trace file is read: events have the field text.

  $ cat >trace <<'END'
  > # tracer: nop
  > #
  > #           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
  > #              | |         |   |||||     |         |
  >           <idle>-0       [000] d..2.  3889.993472: sched_wakeup: comm=a b pid=36
  > CPU:1 [LOST 12 EVENTS]
  >         my-pro 7-1977    (   1976) [001] .....  3889.993473: console: [hello] "you"
  >             bash-1977    [001] .....  3889.993474123: do_exit <-do_group_exit
  >             bash-1977    (-------) [001] 17: tick: n=1
  > END
  $ cairn decode -f jsonl trace
  cairn decode: trace: 12 events were lost while recording
  {"clock":"3889.993472000","time_ns":3889993472000,"cpu":0,"pid":0,"tid":0,"event":"sched_wakeup","comm":"<idle>","fields":{"text":"comm=a b pid=36"}}
  {"clock":"3889.993473000","time_ns":3889993473000,"cpu":1,"pid":1976,"tid":1977,"event":"console","comm":"my-pro 7","fields":{"text":"[hello] \"you\""}}
  {"clock":"3889.993474123","time_ns":3889993474123,"cpu":1,"pid":1977,"tid":1977,"event":"function","comm":"bash","fields":{"text":"do_exit <-do_group_exit"}}
  {"clock":"0.000000017","time_ns":17,"cpu":1,"pid":1977,"tid":1977,"event":"tick","comm":"bash","fields":{"text":"n=1"}}

As text, a line is what it was, but for the flags.

  $ sed -n 5p trace | cairn decode -f text
            <idle>-0       [000]  3889.993472: sched_wakeup: comm=a b pid=36

trace_pipe has no comments. A line that is no event is reported.

  $ (sed -n 5,6p trace; echo ' => do_exit'; sed -n 7,9p trace) >pipe; cairn decode -f csv --fields text pipe | cut -d, -f8,12-; echo $?
  cairn decode: pipe: 12 events were lost while recording
  cairn decode: pipe: 0 of 4 events are damaged, 1 more cannot be read
  event,"text"
  "sched_wakeup","comm=a b pid=36"
  "console","[hello] ""you"""
  "function","do_exit <-do_group_exit"
  "tick","n=1"
  0

The lines of a stack are the text of one event, which has no name in the text.

  $ cat >stacks <<'END'
  > # tracer: nop
  >             bash-1977    [001] d..2.  5.000001: sched_waking: comm=sh pid=1
  >             bash-1977    [001] d..2.  5.000002: <stack trace>
  >  => try_to_wake_up
  >  => xfs_end_bio [xfs]
  >             bash-1977    [001] .....  5.000003: <user stack trace>
  >  =>  <00007f0012345678>
  > END
  $ cairn decode -f jsonl --fields text stacks | cut -d, -f2,6-
  "time_ns":5000001000,"event":"sched_waking","comm":"bash","fields":{"text":"comm=sh pid=1"}}
  "time_ns":5000002000,"event":"kernel_stack","comm":"bash","fields":{"text":" => try_to_wake_up => xfs_end_bio [xfs]"}}
  "time_ns":5000003000,"event":"user_stack","comm":"bash","fields":{"text":" =>  <00007f0012345678>"}}
  $ (sed -n 3p stacks; for n in $(seq 2000); do echo ' => a_function_of_40_bytes_0123456789_01'; done) >deep
  $ cairn decode -f jsonl deep | wc -l
  cairn decode: deep: 0 of 1 events are damaged, 1182 more cannot be read
  1

Events are merged with those of other recordings, and decoded by several threads.

  $ cairn decode -j 2 -f jsonl trace pipe 2>err | wc -l; cat err
  8
  cairn decode: trace: 12 events were lost while recording
  cairn decode: pipe: 12 events were lost while recording
  cairn decode: pipe: 0 of 4 events are damaged, 1 more cannot be read

A line without an end is the last one; one that is too long ends the reading.

  $ printf %s "$(sed -n 5p trace)" | cairn decode -f jsonl - | wc -l
  1
  $ (cat trace; head -c 40000 /dev/zero | tr '\0' x) >long; cairn decode -f jsonl long | wc -l
  cairn decode: long: 12 events were lost while recording
  cairn decode: long: at byte 448: a line is too long
  4

A file may begin with a loss, or with a name that is not ASCII.

  $ sed -n 5,6p trace | sed '1h;1d;G' >begin; cairn decode -f jsonl begin
  cairn decode: begin: 12 events were lost while recording
  {"clock":"3889.993472000","time_ns":3889993472000,"cpu":0,"pid":0,"tid":0,"event":"sched_wakeup","comm":"<idle>","fields":{"text":"comm=a b pid=36"}}
  $ printf '         m\303\274ller-36      [000] d..2.  3.000001: tick: n=1\n' | cairn decode -f text
           müller-36      [000]     3.000001: tick: n=1

A thread's name may have brackets, and anything else that is also before a CPU.

  $ cat >brackets <<'END'
  > # tracer: nop
  >        worker[3]-1234    [002] d....    10.000001: tick: n=1
  >        worker[3]-1234    (   1200) [002] d....    10.000002: tick: n=2
  >      a-1 [2] b-3-1235    (-------) [002] d....    10.000003: tick: [n]=3
  >             [-]-1236    [002] 17: tick: n=4
  >            bash-1977    [001] .....    10.000005: [0] <-a-1 [001] 5: b
  > END
  $ cairn decode -f jsonl brackets | cut -d, -f2-
  "time_ns":10000001000,"cpu":2,"pid":1234,"tid":1234,"event":"tick","comm":"worker[3]","fields":{"text":"n=1"}}
  "time_ns":10000002000,"cpu":2,"pid":1200,"tid":1234,"event":"tick","comm":"worker[3]","fields":{"text":"n=2"}}
  "time_ns":10000003000,"cpu":2,"pid":1235,"tid":1235,"event":"tick","comm":"a-1 [2] b-3","fields":{"text":"[n]=3"}}
  "time_ns":17,"cpu":2,"pid":1236,"tid":1236,"event":"tick","comm":"[-]","fields":{"text":"n=4"}}
  "time_ns":10000005000,"cpu":1,"pid":1977,"tid":1977,"event":"function","comm":"bash","fields":{"text":"[0] <-a-1 [001] 5: b"}}

The kernel's comment says how many events were overwritten.

  $ (printf '# tracer: nop\n# entries-in-buffer/entries-written: 232/15773   #P:2\n'; sed -n 5,7p trace) >over; cairn decode -f jsonl over | wc -l
  cairn decode: over: 15553 events were lost while recording
  2
  $ (printf '# tracer: nop\n# entries-in-buffer/entries-written: 3/3   #P:2\n'; sed -n 5p trace) | cairn decode -f jsonl | wc -l
  1
