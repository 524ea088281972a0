The filter of a running program's log is shown, and changed while it runs.

  $ mkfifo go; logger <go 2>lines & exec 9>go; await cairn filter $!
  > cairn filter $!; cairn filter $! 'net=debug' && cairn filter $!
  > await grep -q 'DEBUG.*net: packet' lines; cairn filter $! '[request{id=7}]=trace,off' && : >lines; await has_lines 20 lines
  > exec 9>&-; wait; sed 's/^[^ ]* *//' lines | sort -u
  error
  net=debug
  DEBUG request{id=7}: net: packet
  TRACE request{id=7}: disk: read

A forked child follows its parent, by either number.

  $ mkfifo pipe; logger child <pipe 2>more & exec 9>pipe; await cairn filter $!
  > cairn filter $! net=debug && await grep -q packet more; child=$(cat /proc/$!/task/$!/children); cairn filter $child off && cairn filter $!
  > exec 9>&-; wait
  off

  $ sleep 60 & cairn filter $!; kill $!
  cairn filter: process * is not traced: it has nothing in the tracing directory (glob)
  $ mkfifo end; emit cli_one 1 wait & await listed cli_one; cairn filter $! debug; cairn filter $!; kill $!
  cairn filter: process * has no filter: it uses cairn/tracing.h without a layer, or not at all (glob)
  cairn filter: process * has no filter: it uses cairn/tracing.h without a layer, or not at all (glob)
  $ cairn filter $$ net=loud
  cairn filter: invalid filter: at byte 4: a level is off, error, warn, info, debug, trace, or 0 to 5
  [2]
  $ cairn filter $$ $(printf 'a%.0s' $(seq 1000))
  cairn filter: the filter is too long: at most 911 bytes
  [2]
  $ cairn filter
  cairn filter: which process? (PID)
  [2]
  $ cairn filter 1x; cairn filter 1 a b; cairn filter 4194304
  cairn filter: invalid PID: 1x
  cairn filter: unexpected argument: b
  cairn filter: there is no process 4194304
  [1]
