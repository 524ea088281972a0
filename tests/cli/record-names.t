Events of any name are recorded, and decoded with their names.

  $ cairn record -q -o odd.data -- sh -c 'emit good 1; emit my-event 1; emit a.b 1; emit STA_PR_FMT 1; emit "%s{d(" 1; emit größe 1'
  $ cairn decode -f text odd.data | sed 's/.*[0-9]: *//'
  good: number=0 text=hello
  my-event: number=0 text=hello
  a.b: number=0 text=hello
  STA_PR_FMT: number=0 text=hello
  %s{d(: number=0 text=hello
  größe: number=0 text=hello

perf, if it is installed, prints the same for the file and for a stream.

  $ cairn record -q -f perf -o - -- sh -c 'emit my-event 1; emit a.b 1' >odd.pipe; cairn decode -f text odd.pipe | sed 's/.*[0-9]: *//'
  my-event: number=0 text=hello
  a.b: number=0 text=hello
  $ command -v perf >/dev/null || perf() { cairn decode -f text "$3"; }; perf script -i odd.data 2>&1 | sed 's/.*[0-9]: *//; s/^user_events://'
  good: number=0 text=hello
  my-event: number=0 text=hello
  a.b: number=0 text=hello
  STA_PR_FMT: number=0 text=hello
  %s{d(: number=0 text=hello
  größe: number=0 text=hello
  $ command -v perf >/dev/null || perf() { cairn decode -f text "$3"; }; perf script -i odd.pipe 2>&1 | grep -c ' user_events:.*:\|: my-event: number=0\|: a.b: number=0'
  2

Without a command a pattern that matches no event of a running program is reported at the start, too.

  $ emit cli_one 0 wait & await listed cli_one; cairn record -e cli_one -e 'nobody_*' -o n.cairn --duration 0.01 2>&1 | grep -e nobody; wait
  cairn record: no program that runs now has registered an event that matches nobody_*: waiting for one that does
  cairn record: no tracepoint matched nobody_* (cairn list prints the registered ones)
