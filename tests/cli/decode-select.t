Events are selected by name, of the event or its tracepoint, alone or with the provider.

  $ cairn record -q -e 'Cli_Work*' -e cli_one -o t.data -- sh -c 'work 10; emit cli_one 5'
  $ echo 'cairn decode -f jsonl "$@" t.data | wc -l' >lines; chmod +x lines
  $ ./lines; ./lines -e Work; ./lines -e 'Cli_Work_L3*'; ./lines -e 'Cli_Work:*'; ./lines -e 'Wo*' -e cli_one; ./lines -e 'user_events:cli*'
  25
  10
  10
  20
  15
  5
  $ cairn decode -f jsonl -e Work -e nothing t.data | wc -l
  cairn decode: no event matches nothing
  10
  $ cairn decode -f jsonl -e nothing t.data
  cairn decode: no event matches nothing
  [4]

A filter can name each field: of structs, of the header, addresses as text, the integral part of floating-point numbers.

  $ ./lines --filter 'Number < 3'; ./lines --filter 'Peer.Port == 4'; ./lines --filter 'Peer.Address == "10.0.0.1" && Ms >= 4'
  3
  1
  2
  $ ./lines --filter 'level == 3'; ./lines --filter 'keyword & 1 && Number > 7'; ./lines --filter 'Name ~ "a b*"'; ./lines --filter 'number == 2 && comm == "emit"'
  10
  2
  5
  1
  $ ./lines --filter 'Big == 0x9000000000000000'
  1
  $ cairn decode -f jsonl --filter 'nonsense > 1' t.data
  cairn decode: the filter could be applied to no event: nonsense > 1 (at 9: Field not found)
  [4]
  $ cairn decode -f jsonl --filter 'Numbers == 1' t.data
  cairn decode: the filter could be applied to no event: Numbers == 1 (at *: *) (glob)
  [4]
  $ cairn decode --filter 'a ==' t.data
  cairn decode: --filter 'a ==' is invalid at *: Invalid value (did you forget quotes)? (glob)
  [2]
  $ cairn decode --filter 'a == 1' --filter 'b == 1' t.data
  cairn decode: one --filter is enough; combine two with && or ||
  [2]

NaN and the missing number of a nullable field satisfy no comparison; numbers beyond 64 bits are greater than all integers.

  $ cairn record -q -e 'Cli_Work*' -o v.cairn -- work values
  $ echo 'cairn decode -f jsonl -e Values --filter "$1" v.cairn | wc -l' >values; chmod +x values
  $ for f in 'Float < 0' 'Float <= 0' 'Float == 0' 'Float != 0' 'Float >= 0' 'Float > 9223372036854775807' 'Float == 9223372036854775807' 'Float & 1'; do ./values "$f"; done | paste -s -d ' '
  0 0 0 1 1 1 0 0
  $ for f in 'Null == 5' 'Null != 5' 'Null > 4' 'Null != 4' 'Null < 5' 'Null & 4' 'Null == "5"' 'Null == 5 || Big == 1' 'Null == "null" && Float > 5' 'Time > 1700000000' 'Least == -9223372036854775808'; do ./values "$f"; done | paste -s -d ' '
  1 0 1 1 0 1 1 2 1 1 1
  $ for f in 'Null == 5' 'Null != 5' 'Float > 5' 'Float < 5'; do cairn record -q -e Cli_Work_L4K1 --filter "$f" -o r.cairn -- work values 2>/dev/null; cairn decode -f jsonl r.cairn | wc -l; done | paste -s -d ' '
  1 0 1 0

By process, thread, name of a thread, CPU.

  $ pid=$(cairn decode -f jsonl --head 1 t.data | grep -o '"pid":[0-9]*' | cut -d: -f2); ./lines --pid $pid; ./lines --tid $pid-$pid,1; ./lines --comm 'em*'; ./lines --comm work --comm emit; ./lines --cpu 0-4095; ./lines --pid 1
  20
  20
  5
  25
  25
  0
  $ cairn decode --pid 1x t.data
  cairn decode: --pid takes numbers, as in 1,4-7: 1x
  [2]
  $ cairn decode --tid 1-70000 t.data
  cairn decode: --tid takes at most 65536 numbers: 1-70000
  [2]

The first and the last events; of those that are selected.

  $ cairn decode -f csv --fields Number -e Work --head 2 t.data | tail -n 2 | grep -o '[0-9]*$'
  0
  1
  $ cairn decode -f csv --fields Number -e Work --tail 2 t.data | tail -n 2 | grep -o '[0-9]*$'
  8
  9
  $ ./lines --tail 1000; ./lines --tail 99999999999; ./lines --tail 0; ./lines --head 0; cat t.data | cairn decode -f jsonl --tail 3 - | wc -l
  25
  25
  0
  0
  3
  $ cairn decode --head 1 --tail 1 t.data
  cairn decode: --head and --tail cannot be combined
  [2]
  $ cairn decode --head x t.data
  cairn decode: --head takes a number of events: x
  [2]

Ranges of time: as printed, relative to the first and the last event, percentages, times of day.

  $ cat >at <<'E'
  > cairn decode -f jsonl --time $1 t.data | sed -n "$2p" | cut -d'"' -f4
  > E
  $ chmod +x at; ./lines --since $(./at mono 25); ./lines --until $(./at mono 1); ./lines --since $(./at utc 25); ./lines --until $(./at utc 1)
  1
  1
  1
  1
  $ ./lines --since 0% --until 100%; ./lines --since +0; ./lines --since -0s; ./lines --until +0ms; ./lines --since 2539-01-01; ./lines --until 2001-01-01T00:00Z
  25
  25
  1
  1
  0
  0
  $ cat t.data | cairn decode --since 50% -
  cairn decode: -: a relative time needs a file, which can be read twice
  [2]
  $ cairn decode --since soon t.data
  cairn decode: --since: no such time: soon (8233.96, +2s, -500ms, 25%, 2026-11-23T20:14:17)
  [2]
  $ for t in 2600-01-01 2026-02-30 2026-11-31T10:00 2026-01-01T00:00+25:00 2026-01-01T00:00+00:99 2s; do cairn decode --since $t t.data; done
  cairn decode: --since: no such time: 2600-01-01 (8233.96, +2s, -500ms, 25%, 2026-11-23T20:14:17)
  cairn decode: --since: no such time: 2026-02-30 (8233.96, +2s, -500ms, 25%, 2026-11-23T20:14:17)
  cairn decode: --since: no such time: 2026-11-31T10:00 (8233.96, +2s, -500ms, 25%, 2026-11-23T20:14:17)
  cairn decode: --since: no such time: 2026-01-01T00:00+25:00 (8233.96, +2s, -500ms, 25%, 2026-11-23T20:14:17)
  cairn decode: --since: no such time: 2026-01-01T00:00+00:99 (8233.96, +2s, -500ms, 25%, 2026-11-23T20:14:17)
  cairn decode: --since: no such time: 2s (8233.96, +2s, -500ms, 25%, 2026-11-23T20:14:17)
  [2]
  $ ./lines --since 2024-02-29T23:30+14:00
  25
  $ cairn decode --until 101% t.data
  cairn decode: --until: no such time: 101% (8233.96, +2s, -500ms, 25%, 2026-11-23T20:14:17)
  [2]

Dates select nothing of a file whose time of day is not known, which is reported. Other files are read nevertheless.

  $ printf '# tracer: nop\n  bash-1977 [001] 17.5: tick: n=1\n  bash-1977 [001] 18.5: tick: n=2\n' >trace
  $ cairn decode -f jsonl --since 2001-01-01 trace t.data 2>err | wc -l; cat err
  25
  cairn decode: trace: the time of day of its events is not known: a date in --since or --until selects none of them; use seconds of its clock (8233.96), or +2s, -500ms, 25%
  $ for verb in 'decode -f jsonl' 'decode -f json --order file' 'decode -j 2' stats 'export -f chrome -o out' 'report -o page.html'; do
  >     cairn $verb --until @1795464857.5 trace >/dev/null 2>err; echo $?; grep -c 'time of day' err
  >     cairn $verb --until 17.6 trace >/dev/null 2>err; echo $?; grep -c 'time of day' err
  > done | paste -s -d ' '
  4 1 0 0 4 1 0 0 4 1 0 0 4 1 0 0 4 1 0 0 4 1 0 0
  $ cairn decode -f jsonl --since 18 trace | wc -l; cairn decode -f jsonl --since +0s --until 50% trace t.data | wc -l
  1
  2
  $ cairn decode -f jsonl --since 18 --until 2001-01-01 -e nothing trace; cairn decode -f jsonl --since 2001-01-01 trace nowhere
  cairn decode: trace: the time of day of its events is not known: * (glob)
  cairn decode: no event matches nothing
  cairn decode: nowhere: cannot be opened: No such file or directory
  cairn decode: trace: the time of day of its events is not known: * (glob)
  [1]

Several files are merged, of any kinds, or printed one after the other.

  $ cairn record -q -e cli_two -o u.data -- emit cli_two 3; cairn convert u.data u.cairn 2>/dev/null
  $ cairn decode -f csv --fields number u.cairn t.data | tail -n 3 | grep -o 'cli_two.*'
  cli_two",,,,0
  cli_two",,,,1
  cli_two",,,,2
  $ cairn decode -f csv --fields number --order file u.cairn t.data | sed -n 2,4p | grep -o 'cli_two.*'
  cli_two",,,,0
  cli_two",,,,1
  cli_two",,,,2
  $ cairn decode --order size t.data
  cairn decode: no such order: size (time and file)
  [2]
