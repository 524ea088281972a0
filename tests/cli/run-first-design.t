The example of the first design's document, which does not use cairn, sees readers and recorders attach and detach.

  $ cairn run -- v4_example 3 taken.txt >seen.txt & visit 1 cairn live -q -e test >1.txt
  > visit 2 cairn record -q -e test -o 2.data; visit 3 cairn live -q -e test >3.txt; wait; cat seen.txt
  a text reader attached, got events, and detached
  a recorder attached, got events, and detached
  a text reader attached, got events, and detached
  $ for f in 1 3; do head -n 2 $f.txt | sed 's/.*: test/test/'; done; cairn decode -f text 2.data | head -n 1 | sed 's/.*: test/test/'
  test: count=0
  test: count=1
  test: count=0
  test: count=1
  test: count=0

A recorder that was killed leaves its events enabled. The program notices after some seconds, and disables them.

  $ cairn run -q -- v4_example 1 & await listed test; cairn record -q -e test -o t.data & recorder=$!
  > until cairn status | grep -q '# Used by'; do sleep 0.02; done; { kill -KILL $recorder; wait; } 2>/dev/null
  a recorder attached, got events, and detached

A registration waits for a registry that is busy for seconds: the kernel's never returns EBUSY.

  $ cat >hold.py <<'END'
  > import fcntl, os, struct, sys, time
  > F_OFD_SETLK, F_WRLCK = 37, 1
  > lock = os.open(os.environ["CAIRN_TRACING_DIR"] + "/lock", os.O_RDWR)
  > fcntl.fcntl(lock, F_OFD_SETLK, struct.pack("@hhqqi4x", F_WRLCK, 0, 0, 0, 0))
  > print("held", flush=True); time.sleep(2.5)
  > END
  $ python3 hold.py >held & await grep -q held held; cairn run -q -- v4_example 1 & await listed test
  > cairn record -q -e test -o t.data & await listed ^R; kill -INT $!; wait
  a recorder attached, got events, and detached
