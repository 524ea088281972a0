  $ cairn status
  
  Active: 0
  Busy: 0
  Max: 49152
  $ cairn events add 'test u32 count'; cairn status
  1:test
  
  Active: 1
  Busy: 0
  Max: 49152

Who uses an event is said in the document's words.

  $ cairn record -q -e test -o t.data --duration 0.5 & sleep 0.2; cairn status; wait
  1:test # Used by perf
  
  Active: 1
  Busy: 1
  Max: 49152

An event that was added stays, and is deleted only while nobody uses it.

  $ cairn events
  u:test u32 count
  $ cairn record -q -e test -o t.data --duration 0.5 & sleep 0.2; cairn events delete test; wait
  cairn events: cannot delete test: somebody uses it
  $ cairn events add 'test u64 count'
  cairn events: cannot add test u64 count: the name is in use with other fields
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

What makes no sense.

  $ cairn events add
  cairn events: say add or delete, and what
  Try: cairn events --help
  [2]
  $ cairn events add 'u32'
  $ cairn events add 'wrong nonsense field'
  cairn events: cannot add wrong nonsense field: this is no line of dynamic_events
  [1]
  $ cairn status --colour
  cairn status: no such option: --colour
  Try: cairn status --help
  [2]
