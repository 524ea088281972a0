A recorder that was killed leaves its events enabled. A program that writes them notices after some seconds, and disables them for
all.

  $ cat >cases.sh <<'END'
  > kill_when_used() { until cairn status | grep -q '# Used by'; do sleep 0.02; done; disown $1; kill -KILL $1; }
  > written() {
  >   cairn register -q killed_idle & emit killed_one 1 follow & program=$!
  >   await listed killed_one; await listed killed_idle
  >   cairn record -q -e 'killed_*' -o written.data & kill_when_used $!; wait $program
  >   head -c 64 $CAIRN_TRACING_DIR/user_events_status | tr -d '\0' | wc -c; cairn list; kill %1; wait
  > }
  > END

A program whose buffer is full, so that it writes nothing, does so too.

  $ cat >>cases.sh <<'END'
  > full() {
  >   emit killed_full 10000000 follow & await listed killed_full
  >   cairn record -q --buffer-size 512K -e 'killed_*' -o full.data & kill_when_used $!; wait
  > }
  > END

The same holds for a killed text reader. If no program writes, another recorder disables its events.

  $ cat >>cases.sh <<'END'
  > bits() { head -c 64 $CAIRN_TRACING_DIR/user_events_status | tr -d '\0' | od -An -tx1; }; is_02() { [[ $(bits) == ' 02' ]]; }
  > reader() {
  >   emit killed_idle 0 wait & emit killed_too 1 follow & await listed killed_idle; await listed killed_too
  >   cairn record -q -e 'killed_idle' -o reader.data & recorder=$!; await listed ^R
  >   cairn live -q >/dev/null & await listed ^RT; disown $!; kill -KILL $!; wait %2
  >   await is_02; bits; kill -INT $recorder; wait
  > }
  > END

A stopped recorder keeps its events enabled, and loses none.

  $ cat >>cases.sh <<'END'
  > stopped() {
  >   emit killed_not 1 follow >emit.txt & await listed killed_not; cairn record -q -e 'killed_*' -o stopped.data & await listed ^R
  >   kill -STOP $!; sleep 3; cat emit.txt; kill -CONT $!; sleep 0.5; kill -INT $!; wait; cat emit.txt
  >   test $(cairn decode -f jsonl stopped.data | wc -l) -gt 30 && echo recorded
  > }
  > END
  $ . ./cases.sh; at_once written full reader stopped
  written:
  disabled
  0
     killed_idle
  full:
  disabled
  reader:
  disabled
   02
  stopped:
  disabled
  recorded

If no program writes the events, the next process disables them: a program that registers events, or a verb that reads the
registry.

  $ cairn register -q 'killed_looked_at u32 number' & await listed killed_looked_at
  > for next in 'emit killed_next 1' 'cairn doctor' 'cairn list' 'cairn events'; do
  >   cairn record -q -e 'killed_looked*' -o t.data & await listed '^R'; { kill -KILL $!; wait $!; } 2>/dev/null; $next >/dev/null
  >   head -c 64 $CAIRN_TRACING_DIR/user_events_status | tr -d '\0' | wc -c
  > done; cairn list; kill %1; wait
  0
  0
  0
  0
     killed_looked_at
