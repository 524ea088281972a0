If a recorder was killed its file has no end; the end is added.

  $ cairn record -q -o k.cairn & await sessions 1; emit cli_one 5
  > await sh -c 'cairn decode -f jsonl k.cairn | grep -q number.:4'; { kill -KILL $!; wait $!; } 2>/dev/null
  > cairn repair k.cairn; cairn decode -f jsonl k.cairn | wc -l; ls k.*; cairn repair k.cairn
  k.cairn is now complete: 5 events in * blocks. (glob)
  5
  k.cairn
  k.cairn is complete: 5 events in * blocks. (glob)

An incomplete block is removed, and the file reports that something is missing.

  $ cairn record -q -o t.cairn -- emit cli_one 100000; head -c 1500000 t.cairn >cut.cairn; cairn repair cut.cairn
  cairn repair: cut.cairn: removed bytes * to 1499999: truncated (glob)
  cut.cairn is now complete: * events in * blocks. (glob)
  [3]
  $ cairn decode -f jsonl cut.cairn >/dev/null
  cairn decode: cut.cairn: 1 damaged record was left out while recording

Damaged blocks are not copied to the new file, and the old one is kept. The index has the number of their events.

  $ cp t.cairn d.cairn; printf '\377\0\377\0' | dd of=d.cairn bs=1 seek=500000 conv=notrunc status=none; cairn repair d.cairn; ls d.*
  cairn repair: d.cairn: removed bytes * to *: damaged (glob)
  cairn repair: d.cairn: * events were in these bytes (glob)
  d.cairn is now complete: * events in * blocks. (glob)
  d.cairn
  d.cairn.old
  $ cairn repair -q d.cairn; cairn repair -q -o other.cairn d.cairn.old 2>/dev/null; echo $?; cmp other.cairn d.cairn
  3

So is it if the last block of events is damaged, or an inserted byte moves all that follow: then one block is missing.

  $ last=$(LC_ALL=C grep -aboP 'CBLK\x07\x00' t.cairn | tail -n 1 | cut -d : -f 1); cp t.cairn l.cairn
  > printf '\377\0\377\0' | dd of=l.cairn bs=1 seek=$((last + 100)) conv=notrunc status=none; cairn repair l.cairn; cmp <(head -c 65536 l.cairn.old) <(head -c 65536 t.cairn)
  cairn repair: l.cairn: removed bytes * to *: damaged (glob)
  cairn repair: l.cairn: * events were in these bytes (glob)
  l.cairn is now complete: * events in * blocks. (glob)
  $ { head -c 500000 t.cairn; printf x; tail -c +500001 t.cairn; } >i.cairn; cairn repair i.cairn; ls i.*
  cairn repair: i.cairn: removed bytes * to *: damaged (glob)
  i.cairn is now complete: * events in * blocks. (glob)
  i.cairn
  i.cairn.old
  $ blocks() { LC_ALL=C grep -aoP 'CBLK\x07\x00' "$1" | wc -l; }; echo $(($(blocks t.cairn) - $(blocks i.cairn)))
  1

A missing byte costs only its block, too: the next one is found in it.

  $ { head -c 500000 t.cairn; tail -c +500002 t.cairn; } >m.cairn; cairn decode m.cairn | wc -l >decoded
  cairn decode: m.cairn: at byte *: a block is damaged (glob)
  $ blocks() { LC_ALL=C grep -aoP 'CBLK\x07\x00' "$1" | wc -l; }; cairn repair m.cairn; echo $(($(blocks t.cairn) - $(blocks m.cairn)))
  cairn repair: m.cairn: removed bytes * to *: damaged (glob)
  m.cairn is now complete: * events in * blocks. (glob)
  1
  $ cairn decode m.cairn 2>/dev/null | wc -l | cmp - decoded; cat m.cairn.old | cairn decode - 2>/dev/null | wc -l | cmp - decoded

Blocks that occur again, as after a copy that was resumed too early, are removed, and nothing is missing.

  $ { head -c 1000000 t.cairn; tail -c +17 t.cairn; } >r.cairn; cairn decode -f jsonl r.cairn | cmp - <(cairn decode -f jsonl t.cairn)
  cairn decode: r.cairn: at byte *: a block * (glob)
  $ cat t.cairn <(tail -c 1000 t.cairn) >e.cairn; cairn decode -f jsonl e.cairn | cmp - <(cairn decode -f jsonl t.cairn)
  cairn decode: e.cairn: at byte *: there are bytes after the end (glob)
  $ begin=$(LC_ALL=C grep -aobP 'CBLK\x07\x00' t.cairn | head -n 1 | cut -d : -f 1); end=$(LC_ALL=C grep -aobP 'CBLK' t.cairn | grep -A 1 "^$begin:" | tail -n 1 | cut -d : -f 1)
  > { head -c "$end" t.cairn; tail -c +$((begin + 1)) t.cairn; } >b.cairn; cairn decode -f jsonl b.cairn | cmp - <(cairn decode -f jsonl t.cairn); cairn repair b.cairn; echo $?; cairn decode -f jsonl b.cairn | cmp - <(cairn decode -f jsonl t.cairn)
  cairn decode: b.cairn: at byte *: a block occurs again (glob)
  cairn repair: b.cairn: removed bytes * to *: repeated (glob)
  b.cairn is now complete: 100000 events in * blocks. (glob)
  3

What is no trace file is left alone.

  $ cairn record -q -o p.data -- emit cli_one 1; cairn repair p.data
  cairn repair: p.data: not a trace file: no magic
  [1]
  $ : >empty.cairn; cairn repair empty.cairn
  cairn repair: empty.cairn: the file is empty
  [1]
  $ printf '\211CAIRN\r\n' >order.cairn; if [ "$(printf '\1\0' | od -An -d | tr -d ' ')" = 1 ]; then printf '\1\2\3\4\0\1\377\376'; else printf '\4\3\2\1\1\0\376\377'; fi >>order.cairn
  $ cairn repair order.cairn
  cairn repair: order.cairn: it has the byte order of another machine: repair it there, or copy its events (cairn cat): Operation not supported
  [1]
  $ cat k.cairn | cairn repair -
  cairn repair: -: a stream cannot be repaired
  [1]
  $ cairn repair; cairn repair missing
  cairn repair: one file is needed
  cairn repair: missing: cannot be opened: No such file or directory
  [1]
