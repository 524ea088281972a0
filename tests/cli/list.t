  $ cairn list
  cairn list: no program has registered an event
  [1]
  $ emit list_b 0 wait & b=$!; emit list_a 0 wait & a=$!; await listed list_a; await listed list_b
  > cairn list; cairn list --fields 'list_a'; cairn list 'nobody_*'; cairn record -q -o t.data & wait $a $b; kill -INT $!; wait
     list_a
     list_b
     list_a u32 number; char[8] text
  cairn list: no registered event matches

Events of programs that have ended are not listed.

  $ cairn list
  cairn list: no program has registered an event
  [1]
