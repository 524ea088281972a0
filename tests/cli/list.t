  $ cairn list
  cairn list: no program has registered an event
  [1]
  $ emit list_b 0 wait & b=$!; emit list_a 0 wait & a=$!; await listed list_a; await listed list_b
  > cairn list; cairn list --fields 'list_a'; cairn list 'nobody_*'; cairn record -q -o t.data & wait $a $b; kill -INT $!; wait
     list_a
     list_b
     list_a u32 number; char[8] text
  cairn list: no registered event matches

Below the tracepoints of a provider are its events, by the names that cairn decode prints.

  $ cairn record -q -e 'Cli_Work*' -o w.cairn & r=$!; await sessions 1; work 3 stay & w=$!; await listed Cli_Work:Peer
  > cairn list 'Cli_Work:*' | tr R ' '; cairn list -f 'Cli_Work:Peer' | grep Peer; kill -TERM $w; kill -INT $r; wait
     Cli_Work_L2K1
     Cli_Work_L3K2
       Cli_Work:Peer
     Cli_Work_L4K1
       Cli_Work:Work
       Cli_Work:Peer struct Peer { ipv4 Address; port Port }; f64 Ms; u16 Numbers[]

Events of programs that have ended are not listed.

  $ cairn list
  cairn list: no program has registered an event
  [1]
