Counts, bytes and rates, by event, provider, process, thread, CPU, or the values of a field.

  $ cairn record -q -e 'Cli_Work*' -e 'cli_*' -o t.data -- sh -c 'work 100; emit cli_one 5'
  $ cairn stats t.data | sed 's/  */ /g'
   count bytes per second event
   100 * * Cli_Work:Peer (glob)
   100 * * Cli_Work:Work (glob)
   5 * * user_events:cli_one (glob)
  205 events, * bytes, * s, * events per second, 0 lost (glob)
  $ for k in provider process thread cpu Name; do cairn stats --by $k -e Work t.data | sed -n 2p | sed 's/  */ /g'; done
   100 [0-9]+ [0-9.]+ Cli_Work (re)
   100 [0-9]+ [0-9.]+ [0-9]+ .work. (re)
   100 [0-9]+ [0-9.]+ work-[0-9]+ (re)
   [0-9]+ [0-9]+ [0-9.]+ [0-9]+ (re)
   50 [0-9]+ [0-9.]+ a b=c (re)
  $ cairn stats -f jsonl -e cli_one t.data
  {"key":"user_events:cli_one","count":5,"bytes":*,"per_second":*} (glob)

The values of a field: counts, sums of integers of any size, least and greatest exactly, quantiles with an error of at most 1/128.

  $ cairn stats --of Number t.data | sed 's/  */ /g'
   count sum min p50 p90 p99 max event
   100 4950 0 49.25 89.5 98.5 99 Cli_Work:Work
  205 events, * bytes, * s, * events per second, 0 lost (glob)
  $ cairn stats --of Ms -f jsonl --by provider t.data
  {"key":"Cli_Work","count":100,"sum":2475,"min":0,"p50":24.625,"p90":44.75,"p99":49.25,"max":49.5}
  $ cairn stats --of Peer.Port --filter 'Peer.Port < 4' --histogram -f jsonl t.data
  {"key":"Cli_Work:Peer","count":4,"sum":6,"min":0,"p50":1.0078125,"p90":3,"p99":3,"max":3,"histogram":[[0,0,1],[1,1.015625,1],[2,2.03125,1],[3,3.03125,1]]}
  $ cairn stats --of Big --by Name t.data | sed -n '2,3p' | sed 's/  */ /g' | cut -d' ' -f2,3,4,8
  50 389687468557114277888 0 16140901064495857664
  50 447333543787456626688 1152921504606846976 17293822569102704640
  $ cairn record -q -e 'Cli_Work*' -o z.data -- work zeros && cairn stats --by Text -f jsonl z.data | cut -d, -f1,2
  {"key":"\"a\\u0000b\"","count":1
  {"key":"\"a\\u0000c\"","count":1
  $ cairn stats --of Name t.data >/dev/null
  cairn stats: the field Name is no number
  [4]
  $ cairn stats --of nonsense t.data >/dev/null
  cairn stats: no event has the field nonsense
  [4]
  $ cairn stats --by nonsense t.data >/dev/null
  cairn stats: no event has the field nonsense
  [4]

Minimum, maximum and sum are exact: floating-point numbers too. A quantile is between the two.

  $ cairn record -q -e 'Cli_Work*' -o v.cairn -- work values
  $ for f in Time Least Most Big; do cairn stats -f jsonl --of $f v.cairn; done
  {"key":"Cli_Work:Values","count":2,"sum":3400000124,"min":1700000000.25,"p50":*,"p90":*,"p99":*,"max":1700000123.75} (glob)
  {"key":"Cli_Work:Values","count":2,"sum":-9223372036854775809,"min":-9223372036854775808,"p50":*,"p90":-1.0*,"p99":-1.0*,"max":-1} (glob)
  {"key":"Cli_Work:Values","count":2,"sum":18446744073709551614,"min":9223372036854775807,"p50":9223372036854775807,"p90":9223372036854775807,"p99":9223372036854775807,"max":9223372036854775807}
  {"key":"Cli_Work:Values","count":2,"sum":18446744073709551616,"min":1,"p50":1.0078125,"p90":*,"p99":*,"max":18446744073709551615} (glob)

A value as a key is the text that `decode -f jsonl` has; events without the field are not counted.

  $ for f in Wide Narrow Big Float Null Least Alone; do cairn stats -f jsonl --by $f v.cairn | cut -d, -f1,2; done
  {"key":"a b","count":2
  {"key":"a b","count":2
  {"key":"1","count":1
  {"key":"18446744073709551615","count":1
  {"key":"1e+20","count":1
  {"key":"nan","count":1
  {"key":"5","count":1
  {"key":"null","count":1
  {"key":"-1","count":1
  {"key":"-9223372036854775808","count":1
  {"key":"1","count":1
  $ cairn stats --of Time --by Alone v.cairn >/dev/null
  cairn stats: no event has both fields, Time as a number and Alone
  [4]
  $ cairn stats --of Time --by nonsense v.cairn >/dev/null
  cairn stats: no event has the field nonsense
  [4]

The durations of activities, from start to stop.

  $ cairn record -q -e 'Cli_Work*' -o s.data -- work spans
  $ cairn stats --durations s.data | sed -n 2p | sed 's/  */ /g'
  cairn stats: 1 activities ended that had not begun
  cairn stats: 1 activities did not end, or too many others began before they did
   2 * * * * * * Cli_Work:Begin (glob)
  $ cairn stats --durations --by nonsense s.data >/dev/null 2>errors; echo $?; head -n 1 errors
  4
  cairn stats: no event has the field nonsense

Invalid options are errors.

  $ cairn stats --of a --durations t.data
  cairn stats: --of and --durations cannot be combined
  [2]
  $ cairn stats --histogram t.data
  cairn stats: --histogram needs --of or --durations
  [2]
  $ cairn stats -f csv t.data
  cairn stats: no such format: csv (text and jsonl)
  [2]

Events of which a part cannot be read are counted and reported.

  $ cairn record -q -e cli_one -f perf -o whole.data -- emit cli_one 3
  $ sed 's/\(char text.*offset:\)12/\199/' whole.data >bad.data
  $ cairn stats -f jsonl bad.data
  cairn stats: bad.data: 3 of 3 events are damaged, 0 more cannot be read
  {"key":"user_events:cli_one","count":3,"bytes":60,"per_second":*} (glob)
  [1]

The duration of several recordings is that of the time of day: each has a clock of its own.

  $ cairn record -q -e 'Cli_Work*' -o a.cairn -- work 3; cairn cat -o b.cairn --offset a.cairn=1h a.cairn
  $ cairn stats a.cairn b.cairn | tail -n 1
  12 events, * bytes, 3600.* s, 0.0 events per second, 0 lost (glob)
