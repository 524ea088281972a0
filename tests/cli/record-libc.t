Allocations, waits for locks, and calls that read and write, of a program that was not built for it.

  $ cat > work.py <<'P'
  > import os, threading, time
  > os.write(1, b"first\n")
  > ends = os.pipe()
  > os.write(ends[1], b"12345")
  > assert os.read(ends[0], 100) == b"12345"
  > if not os.fork():
  >     os.write(1, b"child\n")
  >     os._exit(0)
  > os.wait()
  > try:
  >     os.read(ends[1], 7)
  > except OSError as error:
  >     os.write(1, os.strerror(error.errno).encode() + b"\n")
  > P
  $ cairn record -q --libc -e 'libc_*' -o t.cairn -- python3 work.py
  first
  child
  Bad file descriptor
  $ cairn decode -f jsonl t.cairn > j
  $ python3 - <<'P'
  > import json
  > events = [json.loads(line) for line in open("j")]
  > calls = [(e["event"][5:], e["fields"]["fd"], e["fields"]["result"], e["fields"]["error"]) for e in events
  >          if e["event"] in ("libc_write", "libc_read")]
  > print([call for call in calls if call[1] == 1])
  > print(("write", 4, 5, 0) in calls, ("read", 3, 5, 0) in calls, ("read", 4, -1, 9) in calls)
  > print(len({e["pid"] for e in events if e["event"] == "libc_write"}) >= 2)
  > live, twice, unknown = set(), 0, 0
  > first = next(e["pid"] for e in events)
  > for e in (e for e in events if e["pid"] == first):
  >     f = e["fields"]
  >     if e["event"] in ("libc_malloc", "libc_calloc"):
  >         twice += f["address"] in live
  >         live.add(f["address"])
  >     elif e["event"] == "libc_realloc":
  >         live.discard(f["old"]); live.add(f["address"])
  >     elif e["event"] == "libc_free":
  >         unknown += f["address"] not in live
  >         live.discard(f["address"])
  > print(twice, unknown < 100, any(e["event"] == "libc_malloc" for e in events))
  > P
  [('write', 1, 6, 0), ('write', 1, 6, 0), ('write', 1, 20, 0)]
  True True True
  True
  0 True True

A program that has events of its own, and so two engines, loses none of them.

  $ cairn record -q --libc -e cli_both -e 'libc_*' -o t.cairn -- emit cli_both 1000 wait
  $ cairn decode -f jsonl t.cairn | grep -c '"cli_both"'
  1000
  $ cairn decode -f jsonl t.cairn | grep -q '"libc_malloc"'

Only the chosen ones; nothing is recorded of a program that loads no library, which is said.

  $ cairn record -q --libc -e libc_write -o t.cairn -- sh -c 'echo said'
  said
  $ cairn decode -f jsonl t.cairn | grep -c '"event":"libc_write".*"result":5'
  1
  $ cairn record -q --libc -e libc_write -o t.cairn -- static_program
  cairn record: static_program is linked statically: --libc records nothing of it
  no user_events
  cairn record: no tracepoint matched libc_write (cairn list prints the registered ones)
  [4]
  $ cairn record --libc -o t.cairn
  cairn record: --libc loads a library into COMMAND: add one
  [2]
