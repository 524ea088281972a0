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
  cairn record: no session can begin (cairn doctor tells more): No such file or directory
  [1]

A directory that another version of cairn made: each says so, and which versions.

  $ mkdir -m 700 other; CAIRN_TRACING_DIR=$PWD/other cairn status > status.txt
  $ printf '\143' | dd of=other/registry bs=1 seek=8 conv=notrunc status=none
  $ for verb in status list events 'record -q -o t.data' live 'run true'; do
  >   CAIRN_TRACING_DIR=$PWD/other cairn $verb
  > done
  cairn status: */other was made by another version of cairn: its layout is 99, ours * (cairn doctor tells more) (glob)
  cairn list: */other was made by another version of cairn: its layout is 99, ours * (cairn doctor tells more) (glob)
  cairn events: */other was made by another version of cairn: its layout is 99, ours * (cairn doctor tells more) (glob)
  cairn record: */other was made by another version of cairn: its layout is 99, ours * (cairn doctor tells more) (glob)
  cairn live: */other was made by another version of cairn: its layout is 99, ours * (cairn doctor tells more) (glob)
  cairn run: */other was made by another version of cairn: its layout is 99, ours * (cairn doctor tells more) (glob)
  [125]
