An output that cannot be written is an error.

  $ cairn record -o /nonexistent/t.data -- true
  cairn record: cannot write /nonexistent/t.data: No such file or directory
  [1]

A full disk is an error.

  $ cairn record -q -o - -- emit bad_full 1000 >/dev/full
  cairn record: cannot write standard output: No space left on device
  cairn record: 1,000 events were not stored: the output could not be written
  [1]
  $ cairn record -o /dev/full -- emit bad_full 1000
  cairn record: cannot write /dev/full: No space left on device
  Could not write all of 1,000 events of 1 tracepoint from 1 process in * s (*/s), lost 1000. (glob)
  cairn record: 1,000 events were not stored: the output could not be written
  [1]

Events that the command writes after the output has failed are counted, too.

  $ cairn record -q -o /dev/full -- sh -c 'emit bad_full 100000; sleep 0.5; emit bad_full 1000'
  cairn record: cannot write /dev/full: No space left on device
  cairn record: 101,000 events were not stored: the output could not be written
  [1]

A reader of the stream that goes away. Events that it has read are stored.

  $ (cairn record -q -o - -- emit bad_gone 100000; echo $? >&3) 2>err.txt 3>status.txt | head -c 500000 >t.data; cat status.txt
  1
  $ sed 's/[0-9,]* events/N events/' err.txt
  cairn record: cannot write standard output: Broken pipe
  cairn record: N events were not stored: the output could not be written
  $ (($(cairn decode -f jsonl t.data 2>err2.txt | wc -l) + $(tr -cd '0-9' <err.txt) <= 100000)); rm err.txt err2.txt status.txt

A pattern that matches nothing has an exit status of its own, also if another one matches. The command's status has precedence.

  $ cairn record -q -e 'nobody_*' -o t.data -- emit bad_one 10
  cairn record: no tracepoint matched nobody_* (cairn list prints the registered ones)
  [4]
  $ cairn decode -f jsonl t.data
  $ cairn record -q -e 'nobody_*' -e bad_one -o t.data -- emit bad_one 10
  cairn record: no tracepoint matched nobody_* (cairn list prints the registered ones)
  [4]
  $ cairn record -q -e 'nobody_*' -o t.data -- sh -c 'exit 42'
  cairn record: no tracepoint matched nobody_* (cairn list prints the registered ones)
  [42]
  $ cairn live -q -e 'nobody_*' -- emit bad_one 10
  cairn live: no tracepoint matched nobody_* (cairn list prints the registered ones)
  [4]
  $ cairn decode -f jsonl t.data

The last recording is not changed if the command does not exist or cannot be run, or if the session cannot begin.

  $ cairn record -q -o t.data -- emit bad_one 10; cksum t.data >before
  $ cairn record -q -o t.data -- /nonexistent/program
  cairn record: cannot run /nonexistent/program: No such file or directory
  [127]
  $ cairn record -q -o t.data -- /etc/passwd
  cairn record: cannot run /etc/passwd: Permission denied
  [126]
  $ CAIRN_TRACING_DIR=/proc/nowhere cairn record -q -o t.data -- true
  cairn record: cannot begin a session: No such file or directory (run cairn doctor)
  [1]
  $ cksum t.data | cmp - before; ls
  before
  t.data
  t.data.old

Without a tracing directory the program runs untraced, and the recorder reports the error.

  $ CAIRN_TRACING_DIR=/proc/nowhere emit bad_one 10
  $ CAIRN_TRACING_DIR=/proc/nowhere cairn record -q -o t.data -- true
  cairn record: cannot begin a session: No such file or directory (run cairn doctor)
  [1]

Each verb reports a directory of another version of cairn, with both versions.

  $ mkdir -m 700 other; CAIRN_TRACING_DIR=$PWD/other cairn status > status.txt
  $ printf '\143' | dd of=other/registry bs=1 seek=8 conv=notrunc status=none
  $ for verb in status list events 'record -q -o t.data' live 'run true'; do
  >   CAIRN_TRACING_DIR=$PWD/other cairn $verb
  > done
  cairn status: */other was created by another version of cairn: its layout is version 99, this program's is * (run cairn doctor) (glob)
  cairn list: */other was created by another version of cairn: its layout is version 99, this program's is * (run cairn doctor) (glob)
  cairn events: */other was created by another version of cairn: its layout is version 99, this program's is * (run cairn doctor) (glob)
  cairn record: */other was created by another version of cairn: its layout is version 99, this program's is * (run cairn doctor) (glob)
  cairn live: */other was created by another version of cairn: its layout is version 99, this program's is * (run cairn doctor) (glob)
  cairn run: */other was created by another version of cairn: its layout is version 99, this program's is * (run cairn doctor) (glob)
  [125]

Each verb reports a damaged registry, and cairn doctor prints the fix. The directory is not removed, since it may be shared.

  $ mkdir -m 700 bad; export CAIRN_TRACING_DIR=$PWD/bad; cairn status >/dev/null; truncate -s 5000 bad/registry
  > for verb in status list events 'record -o t.data' live 'run -q true' 'register one -- true'; do cairn $verb; done
  cairn status: */bad has a damaged registry (run cairn doctor) (glob)
  cairn list: */bad has a damaged registry (run cairn doctor) (glob)
  cairn events: */bad has a damaged registry (run cairn doctor) (glob)
  cairn record: */bad has a damaged registry (run cairn doctor) (glob)
  cairn live: */bad has a damaged registry (run cairn doctor) (glob)
  cairn run: */bad has a damaged registry (run cairn doctor) (glob)
  cairn register: */bad has a damaged registry (run cairn doctor) (glob)
  [1]
  $ export CAIRN_TRACING_DIR=$PWD/bad; cairn doctor 2>/dev/null | sed -n 2p; eval "$(cairn doctor 2>/dev/null | sed -n '2s/.*then: //p')"; cairn doctor | head -n 1
                    fix it: end the programs that use it, then: cd '*/bad' && rm -rf registry user_events_status lock processes sessions pools (glob)
  [ok] local        */bad (yours alone) (glob)

A tracing directory on a disk causes a warning.

  $ d=$(mktemp -d /var/tmp/cairn-XXXXXX); CAIRN_TRACING_DIR=$d cairn record -o t.data -- true 2>err.txt; rm -r $d
  $ case $(stat -f -c %T /var/tmp) in tmpfs|ramfs) echo 1;; *) grep -c 'warning: .* is on a disk' err.txt;; esac
  1
