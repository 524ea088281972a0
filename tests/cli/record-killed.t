A recorder that was killed leaves its events enabled. A program that writes them finds out, and disables them for all.

  $ cat >kill_when_used.sh <<'END'
  > until cairn status | grep -q '# Used by'; do sleep 0.02; done
  > disown $!; kill -KILL $!
  > END
  $ cairn register -q killed_idle & emit killed_one 1 follow & program=$!
  > await listed killed_one; await listed killed_idle
  > cairn record -q -e 'killed_*' -o t.data & . ./kill_when_used.sh; wait $program
  > head -c 64 $CAIRN_TRACING_DIR/user_events_status | tr -d '\0' | wc -c; cairn list; kill %1; wait
  nobody listens
  0
     killed_idle

So does one whose buffer is full, to which nothing is written any more.

  $ emit killed_full 10000000 follow & await listed killed_full
  > cairn record -q --buffer-size 512K -e 'killed_*' -o t.data & . ./kill_when_used.sh; wait
  nobody listens

And one of the first design, which knows nothing of cairn.

  $ cairn run -q -- v4_example 1 & await listed test; cairn record -q -e test -o t.data & . ./kill_when_used.sh; wait
  a recorder came, took events, and went

What a killed text reader leaves goes so, too, and another reader sees to it where nobody writes.

  $ emit killed_idle 0 wait & emit killed_too 1 follow & await listed killed_idle; await listed killed_too
  > cairn record -q -e 'killed_idle' -o t.data & recorder=$!; await listed ^R
  > cairn live -q >/dev/null & await listed ^RT; disown $!; kill -KILL $!; wait %2
  > bits() { head -c 64 $CAIRN_TRACING_DIR/user_events_status | tr -d '\0' | od -An -tx1; }; is_02() { [[ $(bits) == ' 02' ]]; }
  > await is_02; bits; kill -INT $recorder; wait
  nobody listens
   02

While a recorder is stopped it still is one: nothing of its events is lost.

  $ emit killed_not 1 follow >emit.txt & await listed killed_not; cairn record -q -e 'killed_*' -o t.data & await listed ^R
  > kill -STOP $!; sleep 3; cat emit.txt; kill -CONT $!; sleep 0.5; kill -INT $!; wait; cat emit.txt
  nobody listens
  $ test $(cairn decode -f jsonl t.data | wc -l) -gt 30

Who only looks, and never writes, is told by whoever comes next: a program that registers events, a doctor. Nobody who lists
the events shows it.

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
