Without a verb, or with one that is not there, the verbs are listed.

  $ cairn
  usage: cairn VERB [options]
   (re)
    record    record events of programs to a perf.data file
    live      print events of programs while they happen
    decode    * (glob)
    list      list the events that programs have registered
    register  register tracepoints before their program runs
    run       * (glob)
    mount     * (glob)
    umount    * (glob)
    status    * (glob)
    events    * (glob)
    doctor    check this machine and print a fix for each problem
   (re)
  cairn VERB --help tells more. cairn --version tells the version.
  [2]
  $ cairn frobnicate 2>&1 | head -n 1
  cairn: no such verb: frobnicate
  $ cairn --version
  cairn [0-9.]+ (re)

Every verb explains itself.

  $ for v in record live decode list register doctor; do cairn $v --help | head -n 1; done
  usage: cairn record [options] [-- COMMAND [ARG...]]
  usage: cairn live [options] [-- COMMAND [ARG...]]
  usage: cairn decode * (glob)
  usage: cairn list [options] [PATTERN...]
  usage: cairn register [options] EVENT... [-- COMMAND [ARG...]]
  usage: cairn doctor

Options that are not there, or lack their value, are named.

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
  cairn record: --buffer-size is 512K to 512M, not 1
  [2]
  $ cairn record --duration soon
  cairn record: --duration is a number of seconds, not soon
  [2]
  $ cairn doctor me
  cairn doctor: takes no arguments: me
  [2]

What cannot be written is told, whichever verb prints it.

  $ cairn events add one; for c in --version --help status events list doctor 'record --help'; do cairn $c >/dev/full || echo "[$?]"; done
  cairn: writing to standard output: No space left on device
  [1]
  cairn: writing to standard output: No space left on device
  [1]
  cairn: writing to standard output: No space left on device
  [1]
  cairn: writing to standard output: No space left on device
  [1]
  cairn: writing to standard output: No space left on device
  [1]
  cairn: writing to standard output: No space left on device
  [1]
  cairn: writing to standard output: No space left on device
  [1]
