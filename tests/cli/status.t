  $ cairn status
  
  Active: 0
  Busy: 0
  Max: 49152
  $ cairn events add 'test u32 count'; cairn status
  1:test
  
  Active: 1
  Busy: 0
  Max: 49152

The users of an event are printed in the format of the document.

  $ cairn record -q -e test -o t.data & await listed ^R; cairn status; kill -INT $!; wait $!
  1:test # Used by perf
  
  Active: 1
  Busy: 1
  Max: 49152

An added event remains, and can be deleted only while it is not in use.

  $ cairn events
  u:test u32 count
  $ cairn record -q -e test -o t.data & await listed ^R; cairn events delete test; kill -INT $!; wait $!
  cairn events: cannot delete test: it is in use
  $ cairn events add 'test u64 count'
  cairn events: cannot add test u64 count: the name is in use with other fields (cairn list --fields prints them)
  [1]
  $ cairn events add 'u:other struct peer p 20; __rel_loc char[] text;u8 last' 'third'; cairn events
  u:test u32 count
  u:other struct peer p 20; __rel_loc char[] text; u8 last
  u:third
  $ cairn events delete test '!u:other u32 other_fields'
  cairn events: cannot delete !u:other u32 other_fields: there is no such event
  [1]
  $ cairn events delete -:user_events/other '!u:third'; cairn events
  $ cairn events delete test
  cairn events: cannot delete test: there is no such event
  [1]

The printed lines can be read again: many together, with comments.

  $ printf '# ours\n\nu:a u32 x\r\n  b char[8] y; u8 z  \n' | cairn events add - c; cairn events | sort | tee all.txt
  u:a u32 x
  u:b char[8] y; u8 z
  u:c
  $ cairn events delete - <all.txt; cairn events list
  $ printf 'u:d u32 x\0 y\n' | cairn events add -; cairn events list
  cairn events: cannot read the lines: Bad message
  $ cairn events add - <all.txt; cairn events | sort | cmp - all.txt; printf 'a\nnothing\nb\n' | cairn events delete -; cairn events list | sort
  cairn events: cannot delete nothing: there is no such event
  u:b char[8] y; u8 z
  u:c
  $ cairn events delete 'u:b u32 other' || cairn events delete user_events:b user_events/c 
  cairn events: cannot delete u:b u32 other: there is no such event
  $ seq -f 'many_%g u32 number' 1000 | cairn events add -; cairn events | wc -l; cairn events | cairn events delete -; cairn status
  1000
  
  Active: 0
  Busy: 0
  Max: 49152

Invalid command lines and lines are errors, also lines for other kinds of dynamic events, and names with a directory of tracefs.

  $ cairn events add
  cairn events: expected list, add LINE... or delete LINE...
  Try: cairn events --help
  [2]
  $ cairn events show; cairn events list all 2>/dev/null
  cairn events: expected list, add LINE... or delete LINE...
  Try: cairn events --help
  [2]
  $ cairn events add 'u32'; cairn events add 'u:user_events/in_system'; cairn events | sort; cairn events delete u32 in_system
  u:in_system
  u:u32
  $ cairn events add 'wrong nonsense field'
  cairn events: cannot add wrong nonsense field: expected NAME or u:NAME, then the fields: TYPE FIELD; TYPE FIELD
  [1]
  $ for line in '-:a' '!u:a' 'p:a' 'a/b' 'u:other/a' ''; do cairn events add "$line"; done; cairn events
  cairn events: cannot add -:a: expected NAME or u:NAME, then the fields: TYPE FIELD; TYPE FIELD
  cairn events: cannot add !u:a: expected NAME or u:NAME, then the fields: TYPE FIELD; TYPE FIELD
  cairn events: cannot add p:a: expected NAME or u:NAME, then the fields: TYPE FIELD; TYPE FIELD
  cairn events: cannot add a/b: expected NAME or u:NAME, then the fields: TYPE FIELD; TYPE FIELD
  cairn events: cannot add u:other/a: expected NAME or u:NAME, then the fields: TYPE FIELD; TYPE FIELD
  cairn events: cannot add : expected NAME or u:NAME, then the fields: TYPE FIELD; TYPE FIELD
  $ cairn events add "long u32 $(printf %0600d 1)"
  cairn events: cannot add long *: it is too long: a name has up to 255 bytes, a line up to 511 (glob)
  [1]
  $ cairn status all
  cairn status: unexpected argument: all
  [2]
  $ cairn status --colour
  cairn status: no such option: --colour
  Try: cairn status --help
  [2]

The events of a provider are comments below its tracepoints, by the names that cairn decode prints.

  $ cairn record -q -e 'Cli_Work*' -o w.cairn & r=$!; await sessions 1; work 3 stay & w=$!; await listed Cli_Work:Peer
  > cairn status | grep -A 1 L3K2 | sed 's/^[0-9]*://'; kill -TERM $w; kill -INT $r; wait
  Cli_Work_L3K2 # Used by perf
    # Cli_Work:Peer
