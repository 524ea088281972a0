A file that is large enough gets a number in its name, and another one continues; nothing is lost, and each can be read alone.

  $ cairn record -e cli_one --rotate 64K -o t.cairn -- emit cli_one 100000 wait
  Recorded 100,000 events * (glob)
  * in t.cairn. * (glob)
  * before it in * files, t.000001.cairn to t.0* (glob)
  $ for f in t.*cairn; do cairn decode -f csv --fields number $f | tail -n +2 | wc -l; done | awk '{sum += $1} END {print sum, (NR > 5)}'
  100000 1
  $ cairn decode -f csv --fields number t.*cairn | tail -n +2 | grep -o '[0-9]*$' | awk '$1 != NR - 1 {print "gap at " NR; exit} END {print NR}'
  100000

Sizes are those of the files, also with compression. How much it saves is known from the second file on.

  $ cairn record -q -z -e cli_one --rotate 128K -o z.cairn -- emit cli_one 400000 wait
  > stat -c %s z.0*cairn | awk 'NR > 1 && ($1 < 80000 || $1 > 180000) {print "bytes: " $1} END {print (NR > 2)}'
  1

The oldest files are removed: those of an earlier recording too.

  $ cairn record -q -e cli_one --rotate 64K --keep 3 -o t.cairn -- emit cli_one 50000 wait; ls t.0*cairn | wc -l
  3
  $ cairn decode -f csv --fields number t.0*cairn t.cairn | tail -n 1 | grep -o '[0-9]*$'
  49999
  $ cairn record -q -e cli_one --limit 1M -o t.cairn -- emit cli_one 100000 wait; du -bc t.0*cairn t.cairn | awk 'END {print ($1 <= 1048576)}'
  1

EventHeader events and perf.data.

  $ cairn record -q -e 'Cli_Work:Work' --rotate 64K -o w.cairn -- work 20000; cairn decode -f csv --fields Number,Name w.*cairn | tail -n +2 | grep -c 'plain\|a b=c'
  20000
  $ cairn record -q -e 'cli_one' --rotate 64K -o p.data -- emit cli_one 30000 wait; ls p.0*data | wc -l | awk '{print ($1 > 1)}'; cairn decode -f jsonl p.*data | wc -l
  1
  30000

  $ cairn record --rotate 1K -- true
  cairn record: invalid --rotate 1K: expected a size from 64K on, or a time: 64M, 10m, 90s, 1h
  [2]
  $ cairn record --keep 2 -o t.cairn -- true
  cairn record: --keep needs --rotate or --limit
  [2]
  $ cairn record -o - --rotate 1m -- true | cat
  cairn record: only a file can be rotated: standard output is none, or cannot be replaced
