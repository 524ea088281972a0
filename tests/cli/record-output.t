The last recording is kept as FILE.old after the command has started. An empty file is not a recording.

  $ cairn record -q -o t.data -- emit out_one 1; cairn record -q -o t.data -- emit out_one 2; cairn record -q -o t.data -- emit out_one 3
  > for f in t.data t.data.old; do cairn decode -f jsonl $f | wc -l; done; ls
  3
  2
  t.data
  t.data.old
  $ rm t.*; : >t.data; cairn record -q -o t.data -- emit out_one 1; ls
  t.data
  $ cairn record -q -- emit out_one 1; cairn record -q -- emit out_one 2; ls trace.*
  trace.cairn
  trace.cairn.old

A killed recorder leaves its file under its name, and the old one.

  $ cairn record -q -o t.data & await sessions 1; emit out_one 5
  > await sh -c 'cairn decode -f jsonl t.data | grep -q number.:4'; { kill -KILL $!; wait $!; } 2>/dev/null; ls t.*
  > cairn decode -f jsonl t.data | wc -l
  t.data
  t.data.old
  5

A trace file is as readable; the name ends in .data for perf.data, and --format says it for any name.

  $ cairn record -q -o k.cairn & await sessions 1; emit out_one 5
  > await sh -c 'cairn decode -f jsonl k.cairn | grep -q number.:4'; { kill -KILL $!; wait $!; } 2>/dev/null
  > cairn decode -f jsonl k.cairn | wc -l
  cairn decode: k.cairn: at byte *: cut short: there is no end (glob)
  5
  $ for f in cairn perf; do cairn record -q -f $f -o any -- emit out_one 2; head -c 6 any | od -An -c; cairn decode -f jsonl any | wc -l; done; rm any*
   211   C   A   I   R   N
  2
     P   E   R   F   I   L
  2
  $ cairn record -q -z9 -o z.cairn -- emit out_one 20000; cairn decode -f jsonl z.cairn | wc -l; cairn record -q -z -o z.data -- true
  20000
  cairn record: perf.data is written without compression: z.data
  [2]
  $ cairn record -q -zauto -o z.cairn -- emit out_one 20000; cairn decode -f jsonl z.cairn | wc -l; cairn record -zfast -- true; rm z.*
  20000
  cairn record: a level of compression is a number from 1 to 19, or auto: fast

The target of a symbolic link is replaced, and not the link. The target of a dangling link is created.

  $ mkdir there; ln -s there/l.data l.data; cairn record -q -o l.data -- emit out_one 1; cairn record -q -o l.data -- emit out_one 2
  > readlink l.data; ls there; cairn decode -f jsonl l.data | wc -l
  there/l.data
  l.data
  l.data.old
  2

A file without write permission is not changed, also in a writable directory. (Root may write all.)

  $ cairn record -q -o r.data -- emit out_one 1; chmod a-w r.data
  > test $(id -u) = 0 || cairn record -q -o r.data -- emit out_one 2 2>err.txt; ls r.*; cairn decode -f jsonl r.data | wc -l
  r.data
  1

A file that somebody removes or replaces during the recording is lost, which is reported. One that is moved is found.

  $ cairn record -o gone.data -- sh -c 'emit out_one 3; until test -e gone.data; do sleep 0.01; done; rm gone.data'; ls gone* 2>/dev/null | wc -l
  cairn record: gone.data was removed or replaced during the recording, which is lost
  0
  $ mkdir gone; cairn record -q -o gone/g.data -- sh -c 'emit out_one 3; until test -e gone/g.data; do sleep 0.01; done; rm -r gone'
  cairn record: gone/g.data was removed or replaced during the recording, which is lost
  [1]
  $ cairn record -q -o gone.data -- sh -c 'emit out_one 3; until test -e gone.data; do sleep 0.01; done; echo other >other; mv other gone.data'; echo $?; rm gone.data
  cairn record: gone.data was removed or replaced during the recording, which is lost
  1
  $ mkdir gone; cairn record -o gone/g.data -- sh -c 'emit out_one 3; until test -e gone/g.data; do sleep 0.01; done; mv gone moved' 2>&1 | sed "s,$PWD,.,g; /Recorded/d; s/^[0-9.]* KB/SIZE/"
  cairn record: gone/g.data was moved during the recording, which is in ./moved/g.data
  SIZE in ./moved/g.data. To read it: cairn decode -f text ./moved/g.data
  $ cairn decode -f jsonl moved/g.data | wc -l; rm -r moved
  3

So is one that somebody cuts short, before or after the recorder writes to it again, also while less than a page is in it.

  $ cut() { cairn record -q -o $1 -- sh -c "emit out_one $2; until test -s $1; do sleep 0.02; done; sleep 1; : >$1; emit out_one $2"; echo $?; }
  > perf() { cut cut.data 2000; cut few.data 1; }; trace() { cut cut.cairn 2000; cut few.cairn 1; }; at_once perf trace
  perf:
  cairn record: cut.data was cut short during the recording: a part of it is lost
  1
  cairn record: few.data was cut short during the recording: a part of it is lost
  1
  trace:
  cairn record: cut.cairn was cut short during the recording: a part of it is lost
  1
  cairn record: few.cairn was cut short during the recording: a part of it is lost
  1

A directory cannot be the output.

  $ cairn record -q -o there -- true
  cairn record: cannot write there: Is a directory
  [1]

The command's output goes to standard error if the stream goes to standard output, by any name.

  $ cairn record -q -o - -- sh -c 'echo loud; emit out_one 10; echo loud' 2>err.txt | cairn decode -f jsonl - | wc -l; cat err.txt
  10
  loud
  loud
  $ cairn record -q -o /dev/stdout -- sh -c 'echo loud; emit out_one 10' 2>err.txt | cairn decode -f jsonl - | wc -l; cat err.txt
  10
  loud
  $ cairn record -q -o - -- sh -c 'echo loud; emit out_one 10' 2>&- | cairn decode -f jsonl - | wc -l
  10
  $ cairn record -q -o - -- sh -c 'echo loud; emit out_one 10' 2>err.txt >s.data; cairn decode -f jsonl s.data | wc -l
  10
  $ cairn record -q -o - -- emit out_one 10 >&-
  cairn record: cannot write standard output: Bad file descriptor
  [1]
  $ cairn record -o t.data -- sh -c 'echo quiet; emit out_one 10' 2>/dev/null
  quiet
  $ cairn record -q -o - -- emit out_one 10 >s.data 2>&1; echo $?; cat s.data
  2
  cairn record: standard error is the same file as the stream: redirect one of them

Ctrl-C and --duration end a recording whose reader does not read. The truncated stream is reported.

  $ interrupted() {
  >   mkfifo a; sleep 60 <a & cairn record -q -e 'out_*' -o - >a 2>err_a.txt & pid=$!; await sessions 1; emit out_one 100000
  >   sleep 0.3; kill -INT $pid; wait $pid; echo $?; kill %1; cat err_a.txt
  > }
  > timed() {
  >   mkfifo b; sleep 60 <b & cairn record -q -e 'out_*' --duration 2 -o b -- emit out_one 100000; echo $?; kill %1
  > }
  > live() {
  >   mkfifo c; sleep 60 <c & cairn live -q -e 'out_*' -- sh -c 'emit out_one 100000; sleep 60' >c 2>err_c.txt & pid=$!
  >   await listed out_one; sleep 0.5; kill -INT $pid; wait $pid; echo $?; kill %1; cat err_c.txt
  > }
  > at_once interrupted timed live
  interrupted:
  1
  cairn record: cannot write standard output: its reader does not read; the stream is truncated
  cairn record: [0-9,]+ events were not stored: the output could not be written (re)
  timed:
  cairn record: cannot write b: its reader does not read; the stream is truncated
  cairn record: [0-9,]+ events were not stored: the output could not be written (re)
  1
  live:
  1
  cairn live: cannot write the events: the reader of the pipe does not read

A slow reader gets everything, also through a pipe with O_NONBLOCK.

  $ cat >run.py <<'END'
  > import fcntl, os, subprocess, sys
  > flags = fcntl.fcntl(1, fcntl.F_GETFL)
  > fcntl.fcntl(1, fcntl.F_SETFL, flags | os.O_NONBLOCK)
  > sys.exit(subprocess.run(sys.argv[1:]).returncode)
  > END
  $ recorded() { "$@" cairn record -q -e out_one -o - -- emit out_one 100000 | (sleep 1.2; cairn decode -f jsonl -) | wc -l; }
  > shown() { "$@" cairn live -q -e out_one -- emit out_one 20000 | (sleep 1.2; wc -l); }
  > recorded_without_waiting() { recorded python3 run.py; }; shown_without_waiting() { shown python3 run.py; }
  > at_once recorded shown recorded_without_waiting shown_without_waiting
  recorded:
  100000
  shown:
  20000
  recorded_without_waiting:
  100000
  shown_without_waiting:
  20000

The command has the original limit of descriptors.

  $ ulimit -S -n 100; cairn record -q -o t.data -- sh -c 'ulimit -S -n; emit out_one 1'
  100

A name that is empty is invalid.

  $ cairn record -q -o '' -- emit out_one 1; ls .new* 2>/dev/null
  cairn record: the name of the output file is empty
  [2]
