Files that are not perf.data, or do not exist.

  $ cairn decode nowhere 2>&1 >/dev/null
  cairn decode: * (glob)
  [1]
  $ echo 'this is no recording at all, but a long enough text' >text; cairn decode text 2>&1 >/dev/null
  cairn decode: * (glob)
  [1]
  $ : >empty; cairn decode empty 2>&1 >/dev/null
  cairn decode: * (glob)
  [1]
  $ mkdir directory; cairn decode directory; cairn convert directory x.cairn
  cairn decode: directory: * (glob)
  cairn convert: directory: is a directory: Is a directory
  [1]
  $ cairn decode -f yaml text
  cairn decode: no such format: yaml (json, jsonl, text and csv)
  [2]

The events of a truncated file are printed up to its end, and an error has the position.

  $ cairn record -q -e 'cut_*' -o whole.data -- emit cut_one 1000
  $ size=$(stat -c %s whole.data); head -c $((size / 2)) whole.data >cut.data
  $ cairn decode -f jsonl cut.data >cut.jsonl
  cairn decode: cut.data: * (glob)
  [1]
  $ test $(wc -l <cut.jsonl) -gt 400 && echo more than 400 events
  more than 400 events

Events of a truncated file keep their names, fields and wall-clock times: a finished file begins with their descriptions too.

  $ size=$(stat -c %s whole.data); for n in 1 2 3 4 5 6 7 8 9; do head -c $((size * n / 10)) whole.data >cut.data; cairn decode -f jsonl cut.data 2>/dev/null; done >cut.jsonl; true
  $ grep -c '"event":"cut_one".*"number":' cut.jsonl | awk '$1 > 3000 { print "more than 3000 events" }'
  more than 3000 events
  $ cairn decode -f jsonl whole.data | sort -u >whole.jsonl; sort -u cut.jsonl | comm -23 - whole.jsonl | wc -l
  0

perf record makes directories: with --kcore they have a file that is read, with --threads several.

  $ mkdir kcore threads; cp whole.data kcore/data; cp whole.data threads/data; : >threads/data.0
  $ cairn decode -f jsonl kcore | sort -u | cmp - whole.jsonl; cairn convert kcore kcore.cairn
  $ cairn decode threads; cairn convert threads x.cairn
  cairn decode: threads: a directory of perf record --threads, which cannot be read (record without --threads): Operation not supported
  cairn convert: threads: a directory of perf record --threads, which cannot be read (record without --threads): Operation not supported
  [1]

A full disk.

  $ cairn decode -f json whole.data >/dev/full
  cairn decode: cannot write standard output: No space left on device
  [1]

Times are counters of the processor if nothing says what their unit is, which is reported.

  $ cairn record -q -o clocks.cairn -- emit bad_one 1; at=$(LC_ALL=C grep -aobP 'CBLK\x02\x00' clocks.cairn | head -n 1 | cut -d: -f1)
  > printf '\377\377' | dd of=clocks.cairn bs=1 seek=$((at + 60)) conv=notrunc status=none; cairn decode -f jsonl clocks.cairn | wc -l
  cairn decode: clocks.cairn: at byte *: the clocks of these events are missing: times are values of a counter (glob)
  1

So they are in a file from which the damage was removed, for all that read it.

  $ cairn repair -q clocks.cairn; cairn decode clocks.cairn >/dev/null
  cairn repair: clocks.cairn: removed bytes * to *: damaged (glob)
  cairn decode: clocks.cairn: 1 damaged record was left out while recording
  cairn decode: clocks.cairn: at byte *: the clocks of these events are missing: times are values of a counter (glob)
  [1]
  $ cairn stats clocks.cairn >/dev/null
  cairn stats: clocks.cairn: 1 damaged record was left out while recording
  cairn stats: clocks.cairn: at byte *: the clocks of these events are missing: times are values of a counter (glob)
  [1]
