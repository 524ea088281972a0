What a recording should contain and does not is told by cause, is in the file, and has exit status 3; the command's own goes
before it.

A full buffer.

  $ cairn record -q -e 'miss_*' --buffer-size 512K -o t.data -- emit miss_one 3000000 2>err.txt; echo $?; cat err.txt
  3
  cairn record: * events were lost: no room in a buffer. A larger --buffer-size helps. (glob)
  $ cairn decode -f jsonl t.data 2>&1 >/dev/null
  cairn decode: t.data: * events were lost while recording (glob)
  cairn decode: t.data: * lost: no room in a buffer. A larger --buffer-size helps. (glob)
  $ cairn record -q -e 'miss_*' --buffer-size 512K -o t.data -- sh -c 'emit miss_one 3000000; exit 42' 2>/dev/null
  [42]

perf reads such a file without a word about what is there for cairn's readers only.

  $ command -v perf >/dev/null || exit 0; perf script -i t.data 2>&1 | grep -i -e unknown -e unsupp -e 'failed to' -e 0x
  [1]

A recorder that has no address space for a process's buffer says so. (It cannot begin with so little when it is built with a
sanitizer.)

  $ cat >expected <<'END'
  > 3
  > cairn record: 1 process was not recorded: Cannot allocate memory (the recorder's address space: ulimit -v, or a smaller --buffer-size)
  > cairn decode: t.data: 1 process was not recorded: a limit of the recorder's, or of theirs (descriptors, file size, address space)
  > END
  > { (ulimit -S -v 300000; exec cairn --version) >/dev/null 2>&1; } 2>/dev/null || exit 0
  > { (ulimit -S -v 300000; cairn record -q -e 'miss_*' --buffer-size 512M -o t.data -- sh -c 'ulimit -S -v unlimited; emit miss_one 10') 2>err.txt
  >   echo $?; cat err.txt; cairn decode -f jsonl t.data; } 2>&1 | diff expected -

A tracing directory that is removed, or replaced. Who was there before is recorded to the end.

  $ mkdir -m 700 gone; export CAIRN_TRACING_DIR=$PWD/gone; emit miss_two 1 follow & program=$!; await listed miss_two
  > cairn record -q -e 'miss_*' -o t.data 2>err.txt & await listed '^R'; sleep 1; rm -rf gone; sleep 1; kill -INT $!; wait $!; echo $?; cat err.txt; kill $program
  3
  cairn record: the tracing directory was removed or replaced meanwhile: programs that started since are missing
  $ test $(cairn decode -f jsonl t.data 2>err.txt | wc -l) -gt 0; cat err.txt
  cairn decode: t.data: the tracing directory was removed or replaced while recording

A file system that is full.

  $ cairn record -q -e 'miss_*' -o - -- emit miss_one 1000 >/dev/full
  cairn record: writing -: No space left on device
  cairn record: 1,000 events were not stored: the output could not be written
  [1]
  $ (ulimit -S -f 1000; cairn record -q -e 'miss_*' -o t.data -- sh -c 'ulimit -S -f unlimited; emit miss_one 100000') 2>err.txt; echo $?; sed 's/[0-9,]* events/N events/' err.txt
  1
  cairn record: writing t.data: File too large
  cairn record: N events were not stored: the output could not be written

Each event that the recorder took is stored, or counted as not stored.

  $ (ulimit -S -f 1000; cairn record -e 'miss_*' -o t.data -- sh -c 'ulimit -S -f unlimited; emit miss_one 100000') 2>err.txt; echo $?
  1
  $ number() { sed -n "s/.*$1 \([0-9,]*\) .*/\1/p" err.txt | tr -d ,; }; stored=$(cairn decode -f jsonl t.data | wc -l)
  > echo $((stored > 10000 && stored + $(number 'record:') == $(number 'written of')))
  1

One that took all bytes, and has no room for them after all.

  $ LD_PRELOAD=$(dirname $(command -v emit))/failing_disk.so cairn record -q -o t.data -- env -u LD_PRELOAD emit miss_one 10
  cairn record: t.data: not all of it has reached the disk: No space left on device
  [1]
