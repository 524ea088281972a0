A recorder that was killed leaves its events enabled. A program that writes them notices, and disables them for all.

  $ cat >kill_when_used.sh <<'END'
  > until cairn status | grep -q '# Used by'; do sleep 0.02; done
  > disown $!; kill -KILL $!
  > END
  $ cairn register -q killed_idle & emit killed_one 1 follow & program=$!
  > await listed killed_one; await listed killed_idle
  > cairn record -q -e 'killed_*' -o t.data & . ./kill_when_used.sh; wait $program
  > head -c 64 $CAIRN_TRACING_DIR/user_events_status | tr -d '\0' | wc -c; cairn list; kill %1; wait
  disabled
  0
     killed_idle

A program whose buffer is full, so that it writes nothing, does so too.

  $ emit killed_full 10000000 follow & await listed killed_full
  > cairn record -q --buffer-size 512K -e 'killed_*' -o t.data & . ./kill_when_used.sh; wait
  disabled

So does a program that uses the first design of user_events under cairn run.

  $ cairn run -q -- v4_example 1 & await listed test; cairn record -q -e test -o t.data & . ./kill_when_used.sh; wait
  a recorder attached, got events, and detached

The same holds for a killed text reader. If no program writes, another recorder disables its events.

  $ emit killed_idle 0 wait & emit killed_too 1 follow & await listed killed_idle; await listed killed_too
  > cairn record -q -e 'killed_idle' -o t.data & recorder=$!; await listed ^R
  > cairn live -q >/dev/null & await listed ^RT; disown $!; kill -KILL $!; wait %2
  > bits() { head -c 64 $CAIRN_TRACING_DIR/user_events_status | tr -d '\0' | od -An -tx1; }; is_02() { [[ $(bits) == ' 02' ]]; }
  > await is_02; bits; kill -INT $recorder; wait
  disabled
   02

A stopped recorder keeps its events enabled, and loses none.

  $ emit killed_not 1 follow >emit.txt & await listed killed_not; cairn record -q -e 'killed_*' -o t.data & await listed ^R
  > kill -STOP $!; sleep 3; cat emit.txt; kill -CONT $!; sleep 0.5; kill -INT $!; wait; cat emit.txt
  disabled
  $ test $(cairn decode -f jsonl t.data | wc -l) -gt 30

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
