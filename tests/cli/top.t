Without a terminal the totals and the events of each interval are lines.

  $ cairn top -e cli_one --interval 100 -- emit cli_one 1000 wait
  * s  * events/s  */s  lost 0/s  * by event (glob)
      EVENTS/s      BYTES/s       LOST/s  event
   * user_events:cli_one (glob)
  $ cairn top -e cli_one -b process -i 100 -- emit cli_one 1000 wait | tail -n 1
   * emit (glob)

Losses have an event, a process and a thread.

  $ for by in event thread; do
  >   cairn top -e cli_one --buffer-size 512K -b $by -i 100 -- emit cli_one 1000000 wait 2>/dev/null |
  >   tail -n +3 | awk '{ print ($4 != "0"), $5 }'
  > done
  1 user_events:cli_one
  1 emit-* (glob)

A key begins a new interval: losses before it are not in the next picture.

  $ mkfifo keys; echo 'emit cli_one 1000000 wait; echo > done; exec sleep 100' > lose
  $ script -qec "TERM=xterm cairn top -e cli_one --buffer-size 512K -b span -i 0.2 -- sh lose" /dev/null > pictures < keys & exec 4> keys
  > until [ -e done ] && grep -q 'lost [1-9]' pictures && [ "$(grep -o 'lost [0-9]' pictures | tail -n 1)" = 'lost 0' ]; do sleep 0.02; done
  > printf e >&4; until [ $(grep -c EVENTS pictures) -gt 1 ]; do sleep 0.02; done
  > printf q >&4; wait $!; grep -c 'user_events:cli_one' pictures
  0
  [1]

Activities: their durations, and those that are open.

  $ cairn top -e 'Cli_Work:*' -b duration -i 100 -- work spans | sed 's/  */ /g' | tail -n +2
   COUNT P50 P99 MAX EVENT
   2 * Cli_Work:Begin (glob)
  $ mkfifo written; echo 'work spans stay > written & echo $! > pid; cat written' > stay
  $ cairn top -e 'Cli_Work:*' -b span -i 100 -- sh stay | sed 's/  */ /g' | tail -n +2; kill $(cat pid)
   AGE PID TID SPAN
   * ms * Cli_Work:Begin (glob)
  $ cairn live --spans -e 'Cli_Work:*' -- sh stay | sed 's/  */ /g' | tail -n 1; kill $(cat pid)
   * Cli_Work:Begin (glob)

The terminal does not obey their names.

  $ sed "s/Begin/Be$(printf '\033')in/g" "$(command -v work)" > odd_work; chmod +x odd_work; sed 's/work/.\/odd_work/' stay > odd_stay
  $ cairn top -e 'Cli_Work:*' -b span -i 100 -- sh odd_stay | sed 's/  */ /g' | tail -n 1; kill $(cat pid)
   * ms * Cli_Work:Be?in (glob)
  $ cairn live --spans -e 'Cli_Work:*' -- sh odd_stay | sed 's/  */ /g' | tail -n 1; kill $(cat pid)
   * Cli_Work:Be\x1bin (glob)

Those of a process that has ended are not open any more.

  $ cairn top -e 'Cli_Work:*' -b span -i 100 -- work spans | sed 's/  */ /g' | tail -n +2
   AGE PID TID SPAN
  $ cairn live --spans -e 'Cli_Work:*' -- work spans | sed 's/  */ /g' | tail -n 1
   AGE PID TID SPAN

A filter that can be applied to no event is reported while the program runs.

  $ cairn top -e 'Cli_Work:Work' --filter 'Nosuch > 1' -i 0.1 -- sh -c 'work 3 stay & until grep -q applied errors; do sleep 0.02; done; kill $!' 2>errors | sed -n 2p | sed 's/  */ /g'
  > cat errors
   EVENTS/s BYTES/s LOST/s event
  cairn top: the filter could be applied to no event: Nosuch > 1 (at 7: Field not found)
  cairn top: --filter 'Nosuch > 1' selected no event
  Filters and names of events excluded 6 events.

  $ cairn top -b fields
  cairn top: invalid --by fields: expected event, provider, process, thread, duration or span
  [2]
  $ cairn top -i 0
  cairn top: invalid --interval 0: expected seconds, more than 0 and less than 1e9
  [2]
