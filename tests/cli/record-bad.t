An output that cannot be written.

  $ cairn record -o /nonexistent/t.data -- true
  cairn record: cannot write /nonexistent/t.data: No such file or directory
  [1]

A full disk: an error, and a status of its own.

  $ cairn record -q -o - -- emit bad_full 1000 >/dev/full
  cairn record: writing -: No space left on device
  [1]

A pattern that matches nothing.

  $ cairn record -q -e 'nobody_*' -o t.data -- emit bad_one 10
  cairn record: no tracepoint matched nobody_* (cairn list shows those that are there)
  $ cairn decode -f jsonl t.data

A command that does not exist, or cannot be run.

  $ cairn record -q -o t.data -- /nonexistent/program
  cairn record: cannot run /nonexistent/program: No such file or directory
  [127]
  $ cairn record -q -o t.data -- /etc/passwd
  cairn record: cannot run /etc/passwd: Permission denied
  [126]

No tracing directory: the program runs on untraced, the recorder and the doctor say why.

  $ CAIRN_TRACING_DIR=/proc/nowhere emit bad_one 10
  $ CAIRN_TRACING_DIR=/proc/nowhere cairn record -q -o t.data -- true
  cairn record: cannot record: No such file or directory
  cairn doctor tells more about what works here.
  [1]
