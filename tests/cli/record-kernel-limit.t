A ring that cannot be mapped is reported, and nothing runs. Address space is limited, which a sanitizer needs.

  $ (ulimit -v 300000; cairn record -a -k sched:sched_process_exit --kernel-buffer 512M -o t.cairn -- echo ran)
  cairn record: cannot record events of the kernel: a ring for CPU 0 cannot be mapped: Cannot allocate memory (raise ulimit -l or kernel.perf_event_mlock_kb, or use a smaller --kernel-buffer)
  [1]
