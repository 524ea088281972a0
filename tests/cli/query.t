SQL over a recording: a table for each event, with its fields as columns of the right type.

  $ cairn record -q -e 'Cli_Work*' -e 'cli_*' -o t.cairn -- sh -c 'work 100; emit cli_one 5'
  $ cairn query -f csv t.cairn 'SELECT provider, event, count(*) FROM events GROUP BY 1, 2'
  provider,event,count(*)
  Cli_Work,Peer,100
  Cli_Work,Work,100
  user_events,cli_one,5
  $ cairn query t.cairn 'SELECT Number, Name, Big FROM "Cli_Work:Work" LIMIT 3'
  Number  Name                   Big
  ------  -----  -------------------
       0  a b=c                    0
       1  plain  1152921504606846976
       2  a b=c  2305843009213693952
  $ cairn query -f jsonl t.cairn 'SELECT "Peer.Address" AS a, "Peer.Port" AS p, Ms, Numbers, typeof(Ms) AS t FROM "Cli_Work:Peer" WHERE p = 7'
  {"a":"10.0.0.1","p":7,"Ms":3.5,"Numbers":"[7,8]","t":"real"}
  $ cairn query -f csv t.cairn 'SELECT count(*), max(Big) > 1e19, median(Number), percentile(Number, 99), percentile_disc(Number, 0.5), histogram(Number, 50) FROM "Cli_Work:Work"'
  count(*),max(Big) > 1e19,median(Number),"percentile(Number, 99)","percentile_disc(Number, 0.5)","histogram(Number, 50)"
  100,1,49.5,98.01,49.0,"[[0.0,50.0,50],[50.0,100.0,50]]"
  $ cairn query -f json t.cairn "SELECT level, level_number, keyword, fields FROM events WHERE event = 'Peer' LIMIT 2"
  [{"level":"warning","level_number":3,"keyword":2,"fields":"{\"Peer\":{\"Address\":\"10.0.0.1\",\"Port\":0},\"Ms\":0,\"Numbers\":[0,1]}"},
   {"level":"warning","level_number":3,"keyword":2,"fields":"{\"Peer\":{\"Address\":\"10.0.0.1\",\"Port\":1},\"Ms\":0.5,\"Numbers\":[1,2]}"}]

The ends of a histogram's buckets are numbers of JSON, whatever the values are.

  $ cairn query -f csv t.cairn 'WITH v(x) AS (VALUES (-1.7976931348623157e308), (1.7976931348623157e308)) SELECT json_valid(histogram(x)), json_valid(histogram(x, 1e308)), json_valid(histogram(x, 0.1)), json_valid(histogram(x, 9e999)) FROM v' | tail -n 1
  1,1,1,1

The same from perf.data, from a pipe, and from several files together.

  $ cairn convert t.cairn t.data
  $ for f in t.cairn t.data; do cairn query -f csv $f 'SELECT sum(Number), count(DISTINCT tid), min(time_ns) > 0 FROM "Cli_Work:Work"' | tail -n 1; done
  4950,1,1
  4950,1,1
  $ cat t.cairn | cairn query -f csv - 'SELECT count(*), sum(Ms) FROM "Cli_Work:Peer"'
  count(*),sum(Ms)
  100,2475.0
  $ cairn query -f csv t.cairn t.data 'SELECT count(*) FROM events; SELECT recording, count(*) FROM events GROUP BY 1'
  count(*)
  410
  recording,count(*)
  t.cairn,205
  t.data,205

A stream that was stored in a file has rounds, at whose ends only a stream that is still written pauses.

  $ cairn record -q -e 'Cli_Work*' -f perf -o - -- work 100 | cat > stream.data
  $ for j in 1 2; do cairn query -j $j -f csv stream.data 'SELECT count(*) FROM events; SELECT events FROM files; SELECT count(*), sum(Number + 0) FROM "Cli_Work:Work"'; done
  count(*)
  200
  events
  200
  count(*),sum(Number + 0)
  100,4950
  count(*)
  200
  events
  200
  count(*),sum(Number + 0)
  100,4950

Aggregates of distributions get many numbers at once where nothing else is done with a column. An expression prevents it, as do
conditions and groups: the results are the same.

  $ cat > both <<'P'
  > for j in 1 2; do
  >   plain=$(cairn query -j $j -f csv t.cairn "SELECT $1 FROM $2" | tail -n 1); other=$(cairn query -j $j -f csv t.cairn "SELECT $3 FROM $2" | tail -n 1)
  >   [ "$plain" = "$other" ] && [ "$plain" ] || echo "$1: $plain, $3: $other"
  > done
  > P
  $ bash both 'median(Number), percentile(Big, 90), histogram(Number)' '"Cli_Work:Work"' 'median(Number+0), percentile(Big+0, 90), histogram(Number+0)'
  $ bash both 'percentile_disc(Ms, 0.3), count(*), percentile_cont("Peer.Port", 0.3)' '"Cli_Work:Peer"' 'percentile_disc(Ms+0, 0.3), count(*), percentile_cont("Peer.Port"+0, 0.3)'
  $ bash both 'median(Name), median(Number)' '"Cli_Work:Work"' "median(Name || ''), median(Number+0)"
  $ bash both 'median(cpu+pid), median(time_ns), count(*), median(tag)' events 'median(cpu+pid), median(time_ns+0), count(*), median(tag+0)'
  $ cairn query -f csv -j 2 t.cairn 'SELECT median(Number) FROM "Cli_Work:Work" WHERE Number >= 90; SELECT count(*), median(DISTINCT Number / 10) FROM "Cli_Work:Work"'
  median(Number)
  94.5
  count(*),median(DISTINCT Number / 10)
  100,4.5

Conditions on time, name, thread and CPU limit what is read; other tables join.

  $ cairn query -f csv t.cairn 'SELECT count(*) FROM events WHERE time_ns >= (SELECT max(time_ns) FROM "Cli_Work:Work")'
  count(*)
  7
  $ cairn query -f csv t.cairn "SELECT count(*) FROM events WHERE event IN ('Work', 'cli_one') AND pid = (SELECT min(pid) FROM processes WHERE comm = 'work')"
  count(*)
  100
  $ cairn query -f csv t.cairn 'SELECT count(*), sum(p."Peer.Port" = w.Number) FROM "Cli_Work:Work" w JOIN "Cli_Work:Peer" p ON p.Ms = w.Number / 2.0'
  count(*),"sum(p.""Peer.Port"" = w.Number)"
  100,100
  $ cairn query -f csv t.cairn "SELECT event, field, sum(value) FROM metrics WHERE field LIKE 'N%' OR field LIKE 'Peer.P%' GROUP BY 1, 2"
  event,field,sum(value)
  Peer,Peer.Port,4950
  Work,Number,4950
  cli_one,number,10

Losses of a recorder that does not say why have a row, too.

  $ printf '%s\n' '          <idle>-0       [000] d..2.  3889.993472: sched_wakeup: comm=a pid=36' 'CPU:1 [LOST 12 EVENTS]' > lost.txt
  $ cairn query -f csv lost.txt t.cairn 'SELECT * FROM losses' 2>/dev/null
  path,cause,events,processes
  lost.txt,the cause is unknown,12,0

Activities are paired: all starts are there, and spans are those that stopped.

  $ cairn record -q -e 'Cli_Work*' -o s.cairn -- work spans
  $ cairn query -f csv s.cairn 'SELECT count(*), count(stop_ns) FROM activities; SELECT count(*), min(duration_ns) >= 0, min(self_ns = duration_ns) FROM spans'
  count(*),count(stop_ns)
  3,2
  count(*),min(duration_ns) >= 0,min(self_ns = duration_ns)
  2,1,1
  $ cairn query -f csv s.cairn "SELECT overlap(1, 10, 5, 20), time_bucket(100, 1234), time_bucket('1us', 1234), wall(0), self_time(0, 100, column1, column2) FROM (VALUES (10, 20), (15, 30), (90, 200))" | tail -n 1
  5,1200,1000,1970-01-01T00:00:00.000000000Z,70

What is wrong is reported as SQLite reports it, with the position.

  $ cairn query t.cairn 'SELECT Nmber FROM "Cli_Work:Work"'
  cairn query: no such column: Nmber
    SELECT Nmber FROM "Cli_Work:Work"
           ^ here
  [1]
  $ cairn query t.cairn 'SELEC 1'
  cairn query: near "SELEC": syntax error
    SELEC 1
    ^ here
  [1]
  $ cairn query t.cairn 'SELECT * FROM absent;'
  cairn query: no such table: absent
  [1]
  $ cairn query t.cairn 'DELETE FROM events'
  cairn query: table events may not be modified
  [1]
  $ cairn query missing.cairn 'SELECT 1'
  cairn query: missing.cairn: No such file or directory
  [1]
  $ cairn query -f xml t.cairn 'SELECT 1'
  cairn query: no such format: xml (table, csv, json, jsonl and parquet)
  [2]

Conditions with OR have all rows, and none twice: SQLite may scan for each condition, and compare row ids.

  $ cairn query -f csv t.cairn "SELECT count(*) FROM events WHERE event = 'Work' OR (provider = 'Cli_Work' AND event IN ('Work', 'Peer'))"
  count(*)
  200
  $ cairn query -f csv t.cairn "SELECT count(*) FROM (SELECT 'Work' AS one) s JOIN events e ON e.event = s.one OR e.provider = s.one" 2>&1 | grep -c 'UNION\|^[1-9]'
  1

Without SQL, commands are read from standard input, as sqlite3 reads them.

  $ printf '.mode csv\nSELECT count(*)\n FROM events;\n.tables *W*\nSELECT absent FROM events;\nSELECT 1 AS a' | cairn query t.cairn
  count(*)
  205
  Cli_Work:Peer
  Cli_Work:Work
  cairn query: no such column: absent
    SELECT absent FROM events;
           ^ here
  a
  1
  [1]

Comments are no part of SQL: neither do they begin it, nor do semicolons and quotes in them end it.

  $ cat > comments.sql <<'S'
  > -- how many?
  > .mode csv
  > SELECT 1 AS a -- it's one;
  >   , 2 AS "b;";
  > SELECT 3 AS c; -- three
  > .mode jsonl
  > /* four;
  > .mode csv */
  > SELECT 4 AS [d;], /* ' ; */ 'it''s;
  > --' AS e;
  > .mode csv
  > SELECT 5 AS f; /* five */ /* is; all
  > */
  > .mode jsonl
  > SELECT 6 AS g -- the end
  > S
  $ cairn query t.cairn < comments.sql
  a,b;
  1,2
  c
  3
  {"d;":4,"e":"it's;\n--"}
  f
  5
  {"g":6}

  $ printf '.mode csv\n.timer on\nSELECT 1 AS a;\n.timer off\nSELECT 2 AS b;\n' | cairn query t.cairn | sed 's/[0-9]*\.[0-9]*/N/g'
  a
  1
  Run Time: real N user N sys N
  b
  2
  $ echo .timer maybe | cairn query t.cairn
  cairn query: .timer takes on or off
  [1]

A damaged file: what can be read is there, and the damage is reported. It is not changed.

  $ head -c $(($(wc -c <t.cairn) - 60)) t.cairn >cut.cairn
  $ cairn query -f csv cut.cairn 'SELECT count(*) FROM events' 2>&1 | grep -v '^cairn query: cut.cairn: '
  count(*)
  205
  $ printf 'no recording' >none.cairn
  $ cairn query none.cairn 'SELECT count(*) FROM events'
  cairn query: none.cairn: * (glob)
  [1]
  $ cmp t.cairn t.cairn && cairn query --tables t.cairn | tail -n 4
  threads
  Cli_Work:Peer
  Cli_Work:Work
  user_events:cli_one

Damaged events are reported if their damage was noticed: their fields, or the error, were read.

  $ cairn record -q -e cli_one -f perf -o whole.data -- emit cli_one 3
  $ sed 's/\(char text.*offset:\)12/\199/' whole.data >bad.data
  $ for j in 1 2; do for c in 'damaged FROM files' 'error IS NULL FROM events' 'text FROM "user_events:cli_one"' 'max(length(fields)) FROM events'; do cairn query -j $j -f csv bad.data "SELECT $c"; done; done 2>&1 | grep cairn | uniq -c | sed 's/^ *//'
  8 cairn query: bad.data: 3 events are damaged, 0 more cannot be read
  $ cairn query -f csv bad.data 'SELECT damaged FROM files' 2>/dev/null
  damaged
  3
  [1]
  $ cairn query -f csv bad.data 'SELECT event, count(*) FROM events GROUP BY 1'
  event,count(*)
  cli_one,3

Control characters of names do not reach the terminal.

  $ esc=$(printf '\033'); sed "s/cli_one/cli${esc}one/g" whole.data >odd.data
  $ cairn query --tables odd.data | tail -n 1
  user_events:cli?one
  $ cairn query --schema odd.data | tail -n 1 | cut -c-34
  CREATE TABLE "user_events:cli?one"
  $ printf '.tables user*\n.schema user*\n' | cairn query odd.data | cut -c-34
  user_events:cli?one
  CREATE TABLE "user_events:cli?one"
  $ cairn query odd.data "SELECT * FROM \"$(printf '\033')[31mred\""
  cairn query: no such table: ?[31mred
  [1]
  $ esc=$(printf '\033'); cairn query odd.data "SELECT number AS \"a${esc}b\" FROM \"user_events:cli${esc}one\" LIMIT 1"
  a?b
  ---
    0
  $ cairn query odd.data "SELECT 'a' || char(155) || '1mb' || char(27, 127, 163) AS x" | tail -n 1
  a?1mb??£

Names of events that differ only in upper and lower case are one name for SQL: the later ones get numbers that no event has.

  $ cairn record -q -e 'a_*' -e 'A_*' -o case.cairn -- sh -c 'emit a_CASE 2; emit A_case 1; emit a_case 3; emit A_CASE_2 4'
  $ cairn query --tables case.cairn | tail -n 4
  user_events:A_CASE_2
  user_events:A_case
  user_events:a_CASE_3
  user_events:a_case_4
  $ for t in A_case a_CASE_3 a_case_4 A_CASE_2; do cairn query -f jsonl case.cairn "SELECT event, count(number) AS n FROM \"user_events:$t\""; done
  {"event":"A_case","n":1}
  {"event":"a_CASE","n":2}
  {"event":"a_case","n":3}
  {"event":"A_CASE_2","n":4}
  $ cairn query --attach case.db case.cairn && cairn query -f csv case.cairn "SELECT count(*) FROM \"user_events:A_CASE_3\""
  count(*)
  2
