Recordings of several recorders become one, in the order of time, whatever their formats are.

  $ cairn record -q -o a.cairn -- emit cat_one 2; cairn record -q -o b.data -- emit cat_two 2; cairn record -q -o c.cairn -- emit cat_one 1
  $ cairn cat -o all.cairn c.cairn b.data a.cairn; cairn decode -f text all.cairn | cut -d: -f2-
   cat_one: number=0 text=hello
   cat_one: number=1 text=hello
   cat_two: number=0 text=hello
   cat_two: number=1 text=hello
   cat_one: number=0 text=hello
  $ for file in a.cairn b.data c.cairn; do cairn decode --time mono -f jsonl $file; done | sed "s/time_ns\":[0-9]*/time_ns\":0/" >parts
  > cairn decode --time mono -f jsonl all.cairn | sed "s/time_ns\":[0-9]*/time_ns\":0/" | cmp - parts

Each event has the time of day that it has in its file, to the ns.

  $ for file in a.cairn b.data c.cairn; do cairn decode --time epoch-ns -f jsonl $file; done | sed "s/.*time_ns\":\([0-9]*\).*/\1/" >parts
  > cairn decode --time epoch-ns -f jsonl all.cairn | sed "s/.*time_ns\":\([0-9]*\).*/\1/" | cmp - parts; wc -l <parts
  5

Equal descriptors are stored once: of the same file twice only the records and the clocks are new. (A recording may have any number of
pairs of clocks, one of perf.data has one.)

  $ cairn record -q -o f.data -- emit cat_one 1; cairn convert f.data f.cairn; cairn cat -o once.cairn f.cairn; cairn cat -o twice.cairn f.cairn f.cairn
  > cairn decode -f jsonl twice.cairn | wc -l; test $(($(stat -c %s twice.cairn) - $(stat -c %s once.cairn))) -lt 200 && echo small
  2
  small

A clock that is wrong gets an offset.

  $ cairn cat -o all.cairn a.cairn b.data --offset b.data=-60s; cairn decode -f text all.cairn | cut -d: -f2-
   cat_two: number=0 text=hello
   cat_two: number=1 text=hello
   cat_one: number=0 text=hello
   cat_one: number=1 text=hello

Also one that leads to a time before the start of the machine, where CLOCK_MONOTONIC is 0: the time of day remains right.

  $ cairn cat -o all.cairn a.cairn b.data --offset b.data=-100000h; cairn decode -f text all.cairn | cut -d: -f2-
   cat_two: number=0 text=hello
   cat_two: number=1 text=hello
   cat_one: number=0 text=hello
   cat_one: number=1 text=hello
  $ wall() { date -d "$(cairn decode --time utc -f text $1 | grep "cat_$2.*number=0" | grep -o '20[-0-9]*T[0-9:]*')Z" +%s; }
  > echo $(($(wall a.cairn one) - $(wall all.cairn one))) $((($(wall b.data two) - $(wall all.cairn two)) / 3600))
  0 100000

Not one that leads to a time of day that no clock has. Without a unit it is in seconds.

  $ cairn cat -o all.cairn a.cairn b.data --offset b.data=-1000000h; cairn decode -f jsonl all.cairn | wc -l
  cairn cat: b.data: its times of day plus the offset are before 1970 or after 2262: left out
  2
  $ cairn cat -o s.cairn a.cairn -t a.cairn=-3600; cairn cat -o h.cairn a.cairn -t a.cairn=-1h; cmp s.cairn h.cairn

Streams, and compression.

  $ cat a.cairn | cairn cat -z -o - - c.cairn | cairn decode -f jsonl - | wc -l
  3

Damaged parts are reported, and the rest is in the output.

  $ head -c 900 a.cairn >cut.cairn; cairn cat -o all.cairn b.data cut.cairn missing.cairn; cairn decode -f jsonl all.cairn | wc -l
  cairn cat: cut.cairn: at byte *: cut short* (glob)
  cairn cat: missing.cairn: cannot be opened: No such file or directory
  2
  $ printf nothing >text; cairn cat -o some.cairn missing.cairn a.cairn text b.data; cairn decode -f jsonl some.cairn | wc -l; ls some*
  cairn cat: missing.cairn: cannot be opened: No such file or directory
  cairn cat: text: at byte 0: not a perf.data file: too short
  4
  some.cairn
  $ cairn cat a.cairn; cairn cat -o x.cairn; cairn cat -o x.cairn a.cairn --offset b=1s; cairn cat -o x.cairn a.cairn -t a.cairn=soon
  cairn cat: an output is needed: -o OUT
  cairn cat: at least one file is needed
  cairn cat: --offset names none of the files: b=1s
  cairn cat: an offset is FILE=DURATION, such as a.cairn=-1.5ms: a.cairn=soon
  [2]

An output that cannot be replaced by a new file is written in place, if it is no input.

  $ cp a.cairn kept.cairn; cairn cat -o /dev/fd/3 kept.cairn b.data 3<>kept.cairn
  cairn cat: cannot write /dev/fd/3: it is one of the inputs
  [1]
  $ cairn convert -f perf kept.cairn /dev/fd/3 3<>kept.cairn
  cairn convert: cannot write /dev/fd/3: it is one of the inputs
  [1]
  $ cmp a.cairn kept.cairn; cairn cat -o /dev/fd/3 a.cairn b.data 3<>kept.cairn; cairn decode -f jsonl kept.cairn | wc -l
  4

A signal leaves nothing.

  $ mkfifo pipe; cairn cat -o none.cairn pipe & until ls none.cairn.new.* >list 2>&1; do sleep 0.01; done; kill -TERM $!; wait $!; echo $?
  143
  $ ls | grep none
  [1]
