Files that are not perf.data, or are none.

  $ cairn decode nowhere 2>&1 >/dev/null
  cairn decode: * (glob)
  [1]
  $ echo 'this is no recording at all, but a long enough text' >text; cairn decode text 2>&1 >/dev/null
  cairn decode: * (glob)
  [1]
  $ : >empty; cairn decode empty 2>&1 >/dev/null
  cairn decode: * (glob)
  [1]
  $ cairn decode -f yaml text
  cairn decode: no such format: yaml; there are json, jsonl and text
  [2]

A file that is cut short: what can be read is printed, the place is named.

  $ cairn record -q -e 'cut_*' -o whole.data -- emit cut_one 1000
  $ size=$(stat -c %s whole.data); head -c $((size / 2)) whole.data >cut.data
  $ cairn decode -f jsonl cut.data >cut.jsonl
  cairn decode: cut.data: * (glob)
  [1]
  $ test $(wc -l <cut.jsonl) -gt 400 && echo more than 400 events
  more than 400 events

A full disk.

  $ cairn decode -f json whole.data >/dev/full
  cairn decode: standard output: No space left on device
  [1]
