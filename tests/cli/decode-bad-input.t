Files that are not perf.data, or are none.

  $ cairn decode nowhere
  cairn decode: * (glob)
  [1]
  $ echo 'this is no recording at all, but a long enough text' >text; cairn decode text 2>&1 >/dev/null
  cairn decode: * (glob)
  [1]
  $ : >empty; cairn decode empty 2>&1 >/dev/null
  cairn decode: * (glob)
  [1]
  $ cairn decode -f yaml text 2>&1 | head -n 1
  cairn decode: * (glob)
