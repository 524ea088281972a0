A session outlives the command that starts it. Its recorder is a process that can be asked.

  $ cairn session start web -e cli_one --flight -q && cairn session list
  NAME                  PID         EVENTS       LOST      BYTES MODE   FILE
  web  * flight */web.cairn (glob)
  $ emit cli_one 10 wait; cairn snapshot web
  */web.000001.cairn (glob)
  $ cairn decode -f csv --fields number web.000001.cairn | tail -n +2 | wc -l
  10
  $ emit cli_one 5 wait; cairn snapshot | wc -l; cairn session snapshot web
  1
  */web.000003.cairn (glob)
  $ cairn session start web -e cli_one
  cairn session: there is a session of the name web already
  [1]
  $ cairn session stop web; cairn decode -f csv --fields number web.cairn | tail -n +2 | wc -l
  */web.cairn (glob)
  15
  $ cairn session list; cairn session stop web
  cairn session: there is no recorder of the name web (cairn session list)
  [1]

One that was killed is started again as before. Each event is in a file, whatever had been written.

  $ cairn session start job -e cli_two --rotate 64K -q && emit cli_two 9000 wait
  $ kill -9 $(cairn session list | awk '/^job/ {print $2}'); cairn session list
  NAME                  PID         EVENTS       LOST      BYTES MODE   FILE
  job                     - its process has ended; `cairn session start job` continues
  $ cairn session start job && emit cli_two 100 wait; cairn session stop job
  */job.cairn (glob)
  $ ls job*.cairn | wc -l | awk '{print ($1 >= 2)}'; cairn decode -f csv --fields number job*.cairn 2>/dev/null | tail -n +2 | wc -l
  1
  9100

Without rotation as well; and when it is to be stopped, it is continued first.

  $ cairn session start two -e cli_two -q && emit cli_two 100 wait; kill -9 $(cairn session list | awk '/^two/ {print $2}'); cairn session stop two
  */two.cairn (glob)
  $ ls two*.cairn*; cairn decode -f csv --fields number two*.cairn 2>/dev/null | tail -n +2 | wc -l; cairn session list; ls -A $CAIRN_TRACING_DIR/recorders
  two.000001.cairn
  two.cairn
  100
  job.lock~
  two.lock~
  web.lock~

What a session records can be changed; other events continue.

  $ cairn session start more -e cli_one -q && emit cli_one 10 follow >/dev/null & await cairn session add more cli_two; emit cli_two 20 wait
  > cairn session add more 'Cli_Work:Peer' && work 3; cairn session add more cli_two; cairn session remove more cli_two && emit cli_two 30; work 2
  > cairn session remove more cli_one Cli_Work:Peer; cairn session remove more nosuch; cairn session stop more; wait
  cairn session: more: it is recorded already
  cairn session: more: the pattern is invalid, or the only one
  cairn session: more: there is no such pattern in the session
  */more.cairn (glob)
  $ cairn decode -f csv --fields number -e cli_two more.cairn | tail -n +2 | wc -l; cairn decode -f jsonl -e Cli_Work:Peer more.cairn | wc -l
  20
  5
  $ cairn decode -f csv --fields number -e cli_one more.cairn | tail -n +2 | sed 's/.*,//' | awk '$0 != NR - 1 && NR <= 10 {print "gap"}' | head -n 1

What was added, with its filter, and what was removed is so in a recorder that takes the place of a killed one.

  $ cairn session start keep -e 'cli_*' -e cli_one -q && emit cli_one 5 wait; cairn session add keep cli_two --filter 'number >= 90'
  > cairn session add keep Cli_Work:Peer; cairn session remove keep Cli_Work:Peer; cairn session remove keep 'cli_*'
  > emit cli_two 100 wait; kill -9 $(cairn session list | awk '/^keep/ {print $2}'); cairn session start keep
  > emit cli_two 95; emit cli_one 5; emit cli_three 5; work 2; cairn session stop keep
  */keep.cairn (glob)
  $ for event in cli_one cli_two cli_three Cli_Work:Peer; do
  >   cairn decode -f jsonl -e $event keep*.cairn 2>/dev/null | wc -l
  > done
  10
  15
  0
  0

Two that are added at the same time are both kept.

  $ cairn session start both -e cli_one -q; for n in 1 2 3 4 5 6; do cairn session add both "cli_x$n" & done; wait
  > tr '\0' '\n' < $CAIRN_TRACING_DIR/recorders/both.args~ | grep -c cli_x; cairn session stop both 2>/dev/null
  6
  */both.cairn (glob)

Arguments of any command line can be continued.

  $ q=-$(printf %100000s | tr ' ' q); cairn session start long -e cli_one $q $q && kill -9 $(cairn session list | awk '/^long/ {print $2}')
  > cairn session start long && cairn session stop long
  cairn record: no tracepoint matched cli_one (cairn list prints the registered ones)
  */long.cairn (glob)
  $ q=-$(printf %100000s | tr ' ' q); cairn session start long -e cli_one $q $q $q $q $q $q $q $q $q $q $q
  cairn session: long: all arguments together have more than 1048576 bytes
  [1]

Added events may have filters.

  $ cairn session start some -e cli_one -q && cairn session add some -e user_events:cli_two --filter 'number >= 7' && emit cli_two 10 wait
  > cairn session remove some cli_two && cairn session stop some; cairn decode -f csv --fields number some.cairn | sed 's/.*,//'
  cairn record: no tracepoint matched cli_one (cairn list prints the registered ones)
  */some.cairn (glob)
  "number"
  7
  8
  9
  $ cairn session add some --filter 'number > 1' cli_two
  cairn session: --filter is for the event before it: there is none
  [2]
  $ cairn session add some cli_two --filter 'number >'
  cairn session: --filter 'number >' is invalid at 9: Invalid value (did you forget quotes)?
  [2]
  $ cairn session remove some cli_two --filter 'number > 1'
  cairn session: --filter is for add: an event is removed with its filter
  [2]
  $ cairn session add some -e
  cairn session: option -e needs a value
  Try: cairn session --help
  [2]

  $ cairn session start job
  cairn session: no session of the name job was started before: which events? (-e PATTERN)
  [2]
  $ cairn session start job --nosuch
  cairn record: no such option: --nosuch
  Try: cairn record --help
  cairn session: the recorder of job could not begin
  [2]
  $ cairn session start ../x -e cli_one
  cairn session: invalid name: ../x
  [2]
  $ cairn snapshot nosuch
  cairn snapshot: there is no recorder of the name nosuch (cairn session list)
  [1]
  $ cairn snapshot
  cairn snapshot: there is no flight recorder (cairn record --flight)
  [1]
  $ cairn record -q --name x -e cli_one -o x.cairn -- sh -c 'emit cli_one 1 wait; cairn snapshot x'
  cairn snapshot: x: it is no flight recorder (cairn record --flight)
  [1]
  $ cairn record --name a/b -- true
  cairn record: invalid --name a/b: expected up to 64 letters, digits, "_", "-" and "."
  [2]
