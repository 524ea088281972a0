A flight recorder keeps the latest events in memory; FILE is written at the end.

  $ cairn record -e cli_one --flight=2M -o f.cairn -- emit cli_one 400000 wait
  Recorded 400,000 events * (glob)
  The latest * events in f.cairn. To read it: cairn decode -f text f.cairn (glob)
  $ cairn decode -f csv --fields number f.cairn | tail -n +2 | grep -o '[0-9]*$' | awk 'NR == 1 {first = $1} $1 != first + NR - 1 {print "gap at " $1} END {print $1, (NR > 10000 && NR < 300000)}'
  399999 1
  $ ls f.*
  f.cairn

Events that cannot be written at the end are reported as those of other recordings are.

  $ mkdir d; cairn record -e cli_one --flight -o d/f.cairn -- sh -c 'emit cli_one 100 wait; rmdir d'
  cairn record: cannot write d/f.cairn: No such file or directory
  Could not write all of 100 events * lost 100. (glob)
  cairn record: 100 events were not stored: the output could not be written
  [1]

A trigger writes a snapshot while the recording continues; the event is in it.

  $ cairn record -q -e cli_one --flight --on 'cli_one && number == 100' snapshot -o s.cairn -- emit cli_one 1000 wait; ls s.*
  s.000001.cairn
  s.cairn
  $ cairn decode -f csv --fields number s.000001.cairn | tail -n +2 | grep -o '[0-9]*$' | grep -cx 100
  1
  $ cairn decode -f csv --fields number s.cairn | tail -n +2 | wc -l
  1000

Others stop the recording, or run a command.

  $ cairn record -q -e cli_one --on 'cli_one && number == 7' stop -o t.cairn -- sh -c 'emit cli_one 10 wait; exec sleep 60'; cairn decode -f csv --fields number t.cairn | tail -n +2 | wc -l
  10
  $ cairn record -q -e cli_one --on 'cli_one && nofield == 7' stop -o t.cairn -- emit cli_one 10 wait
  cairn record: filter *nofield == 7 (at *: Field not found) is invalid for cli_one and selects none of its events (glob)
  $ cairn record -q -e cli_one --on 'cli_one && number == 8' 'exec:echo fired > fired; touch done' -o t.cairn -- sh -c 'emit cli_one 10 wait; until [ -e done ]; do sleep 0.02; done'; cat fired
  fired

SIGUSR2 writes a snapshot.

  $ cairn record -q -e cli_one --flight=1m -o u.cairn -- sh -c 'emit cli_one 10 wait; kill -USR2 $PPID; until [ -e u.000001.cairn ]; do sleep 0.02; done; emit cli_one 10 wait'
  $ for f in u.000001.cairn u.cairn; do cairn decode -f csv --fields number $f | tail -n +2 | wc -l; done
  10
  20

  $ cairn record --flight=1K -- true
  cairn record: invalid --flight=1K: expected a size from 2M on, a time, or both: 64M, 30s, 30s,256M
  [2]
  $ cairn record --flight -o x.data -- true
  cairn record: --flight needs a trace file, not perf.data
  [2]
  $ cairn record --flight --rotate 1m -o x.cairn -- true
  cairn record: --flight and --rotate cannot be combined
  [2]
  $ cairn record --on 'cli_one && number ==' stop -o x.cairn -- true
  cairn record: --on: the filter ' number ==' is invalid at 11: * (glob)
  [2]
  $ cairn record --on cli_one fly -o x.cairn -- true
  cairn record: --on 'cli_one' needs an action after it: snapshot, stop or exec:COMMAND
  [2]
  $ cairn record --on cli_one snapshot -o x.cairn -- true
  cairn record: --on ... snapshot needs --flight
  [2]

With --block a program whose buffer is full waits for its recorder, also for one that is stopped for a while: nothing is lost. One that
stays stopped delays it once.

  $ cairn record -q -e cli_one --block=10000 --buffer-size 512K -o b.cairn -- sh -c 'kill -STOP $PPID; emit cli_one 100000 wait &
  > until grep -q sleep /proc/$!/wchan; do :; done; kill -CONT $PPID; wait'; cairn decode -f csv --fields number b.cairn | tail -n +2 | wc -l
  100000
  $ cairn record -q -e cli_one --block=50 --buffer-size 512K -o b.cairn -- sh -c 'kill -STOP $PPID; emit cli_one 100000 wait; kill -CONT $PPID' 2>&1 | grep -c 'lost'
  1
  $ cairn record --block=0 -- true
  cairn record: invalid --block=0: expected milliseconds, 1 to 10000
  [2]
