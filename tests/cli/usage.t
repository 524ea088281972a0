Without a verb, or with an unknown one, the verbs are listed.

  $ cairn
  usage: cairn VERB [options]
   (re)
    record    record events of programs to a file
    live      print events of programs while they happen
    top       show which events programs write now, and how many
    decode    * (glob)
    stats     * (glob)
    export    * (glob)
    report    show a recording as a page: summary, timeline, table
    view      serve a recording, or running programs, as a page on this machine
    session   start and control recordings in the background
    snapshot  make flight recorders write what they have kept
    filter    show and change the filter of a running program's log
    query     run SQL over recordings
    ask       answer * (glob)
    list      list the events that programs have registered
    register  register tracepoints before their program runs
    run       * (glob)
    mount     * (glob)
    umount    * (glob)
    status    * (glob)
    events    * (glob)
    convert   convert a recording from perf.data to a trace file, or back
    repair    repair a trace file that is damaged, or whose recorder was killed
    cat       merge recordings in the order of time
    doctor    check this machine and print a fix for each problem
   (re)
  cairn VERB --help prints a verb's options, cairn --version the version.
  [2]
  $ cairn frobnicate 2>&1 | head -n 1
  cairn: no such verb: frobnicate
  $ cairn --version
  cairn [0-9.]+ (re)

Each verb prints its usage.

  $ for v in record live decode stats list register doctor; do cairn $v --help | head -n 1; done
  usage: cairn record [options] [-- COMMAND [ARG...]]
  usage: cairn live [options] [-- COMMAND [ARG...]]
  usage: cairn decode * (glob)
  usage: cairn stats * (glob)
  usage: cairn list [options] [PATTERN...]
  usage: cairn register [options] EVENT... [-- COMMAND [ARG...]]
  usage: cairn doctor

Unknown options, and options without their value, are named.

  $ cairn record --frob
  cairn record: no such option: --frob
  Try: cairn record --help
  [2]
  $ cairn record -Z
  cairn record: no such option: -Z
  Try: cairn record --help
  [2]
  $ cairn record -o
  cairn record: option -o needs a value
  Try: cairn record --help
  [2]
  $ cairn record --buffer-size 1
  cairn record: invalid --buffer-size 1: expected 512K to 512M
  [2]
  $ cairn record --duration soon
  cairn record: invalid --duration soon: expected seconds, more than 0 and less than 1e9
  [2]
  $ cairn doctor me
  cairn doctor: unexpected argument: me
  [2]

Each verb reports output that cannot be written.

  $ cairn events add one; for c in --version --help status events list doctor 'record --help'; do cairn $c >/dev/full || echo "[$?]"; done
  cairn: cannot write standard output: No space left on device
  [1]
  cairn: cannot write standard output: No space left on device
  [1]
  cairn: cannot write standard output: No space left on device
  [1]
  cairn: cannot write standard output: No space left on device
  [1]
  cairn: cannot write standard output: No space left on device
  [1]
  cairn: cannot write standard output: No space left on device
  [1]
  cairn: cannot write standard output: No space left on device
  [1]
