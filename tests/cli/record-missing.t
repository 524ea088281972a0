Missing events are reported by cause, by the recorder and from the file, with exit status 3. The command's own has precedence.

A full buffer.

  $ cairn record -q -e 'miss_*' --buffer-size 512K -o t.data -- emit miss_one 3000000 2>err.txt; echo $?; cat err.txt
  3
  cairn record: * events were lost: their buffer was full. Use a larger --buffer-size. (glob)
  $ cairn decode -f jsonl t.data 2>&1 >/dev/null
  cairn decode: t.data: * events were lost while recording (glob)
  cairn decode: t.data: * events were lost: their buffer was full. Use a larger --buffer-size. (glob)
  $ cairn record -q -e 'miss_*' --buffer-size 512K -o t.data -- sh -c 'emit miss_one 3000000; exit 42' 2>/dev/null
  [42]

perf reads such a file without messages about the records that only cairn reads.

  $ command -v perf >/dev/null || exit 0; perf script -i t.data 2>&1 | grep -i -e unknown -e unsupp -e 'failed to' -e 0x
  [1]

A recorder without address space for a process's buffer. (With a sanitizer it cannot begin with so little.)

  $ cat >expected <<'END'
  > 3
  > cairn record: 1 process was not recorded: Cannot allocate memory (raise the recorder's address space, ulimit -v, or use a smaller --buffer-size)
  > cairn decode: t.data: 1 process was not recorded: a limit of the recorder or of the process was reached (descriptors, file size, address space)
  > END
  > { (ulimit -S -v 300000; exec cairn --version) >/dev/null 2>&1; } 2>/dev/null || exit 0
  > { (ulimit -S -v 300000; cairn record -q -e 'miss_*' --buffer-size 512M -o t.data -- sh -c 'ulimit -S -v unlimited; emit miss_one 10') 2>err.txt
  >   echo $?; cat err.txt; cairn decode -f jsonl t.data; } 2>&1 | diff expected -

A tracing directory that was removed. A program that registered before is recorded until the end.

  $ mkdir -m 700 gone; export CAIRN_TRACING_DIR=$PWD/gone; emit miss_two 1 follow & program=$!; await listed miss_two
  > cairn record -q -e 'miss_*' -o t.data 2>err.txt & await listed '^R'; sleep 0.3; rm -rf gone; sleep 0.5; kill -INT $!; wait $!; echo $?; cat err.txt; kill $program
  3
  cairn record: the tracing directory was removed or replaced: programs that started since then are missing
  $ test $(cairn decode -f jsonl t.data 2>err.txt | wc -l) -gt 0; cat err.txt
  cairn decode: t.data: the tracing directory was removed or replaced while recording

Files of a tracing directory that were truncated: the recorder ends, and does not blame the output.

  $ mkdir -m 700 cut; (export CAIRN_TRACING_DIR=$PWD/cut; cairn record -q -e 'miss_*' -o t.data 2>err.txt & await sessions 1
  > truncate -s 0 cut/registry; wait $!; echo $?; cat err.txt)
  1
  cairn record: files of the tracing directory were truncated or overwritten: t.data ends here
  cairn record: 1 process was not recorded: Bad message

A full file system, and a limit of the file size.

  $ cairn record -q -e 'miss_*' -o - -- emit miss_one 1000 >/dev/full
  cairn record: cannot write standard output: No space left on device
  cairn record: 1,000 events were not stored: the output could not be written
  [1]
  $ (ulimit -S -f 1000; cairn record -q -e 'miss_*' -o t.data -- sh -c 'ulimit -S -f unlimited; emit miss_one 100000') 2>err.txt; echo $?; sed 's/[0-9,]* events/N events/' err.txt
  1
  cairn record: cannot write t.data: File too large
  cairn record: N events were not stored: the output could not be written

Each event that the recorder took is stored, or counted as not stored.

  $ (ulimit -S -f 1000; cairn record -e 'miss_*' -o t.data -- sh -c 'ulimit -S -f unlimited; emit miss_one 100000') 2>err.txt; echo $?
  1
  $ number() { sed -n "s/.*$1 \([0-9,]*\) .*/\1/p" err.txt | tr -d ,; }; stored=$(cairn decode -f jsonl t.data | wc -l)
  > echo $((stored > 10000 && stored + $(number 'record:') == $(number 'write all of')))
  1

A file system that reports an error of writing only in fsync.

  $ LD_PRELOAD=$(dirname $(command -v emit))/failing_disk.so cairn record -q -o t.data -- env -u LD_PRELOAD emit miss_one 10
  cairn record: cannot write all of t.data to the disk: No space left on device
  [1]
  $ FAILING_FSYNCS=1 LD_PRELOAD=$(dirname $(command -v emit))/failing_disk.so cairn record -q --rotate 256K -o r.cairn -- env -u LD_PRELOAD emit miss_one 30000
  cairn record: cannot write all of r.cairn to the disk: No space left on device
  [1]
  $ test $(ls r.*cairn | wc -l) -gt 1
