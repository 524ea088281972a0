  $ cairn doctor | grep -v kernel | grep -v 'fix it'
  [ok] local        /*/tracing (yours alone) (glob)
  [ok] space        * free for buffers (glob)
  [ok] clock        CLOCK_MONOTONIC, from the * (glob)
  [ok] choice       CAIRN_BACKEND=local
  .{4} run          cairn run .* (re)

A directory that cannot be used is explained, with a command that fixes it.

  $ CAIRN_TRACING_DIR=/proc/nowhere cairn doctor 2>&1 | grep -A1 local | head -n 2
  [--] local        /proc/nowhere cannot be created: No such file or directory
                    fix it: mkdir -m 700 -p '/proc/nowhere'
  $ CAIRN_TRACING_DIR=/proc/nowhere cairn doctor >/dev/null
  cairn doctor: no backend works: programs run, and their events are not recorded
  [1]
  $ mkdir -m 777 open; CAIRN_TRACING_DIR=$PWD/open cairn doctor 2>/dev/null | grep -A1 local | head -n 2
  [--] local        */open is writable by all users: Permission denied (glob)
                    fix it: chmod o-w '*/open' (glob)
  $ CAIRN_BACKEND=sideways cairn doctor | grep -A1 choice
  [--] choice       CAIRN_BACKEND=sideways
                    fix it: set it to auto (used now), kernel, local, both or none
  $ CAIRN_BACKEND=none cairn doctor 2>/dev/null | grep -A1 choice
  [--] choice       CAIRN_BACKEND=none
                    fix it: unset CAIRN_BACKEND: another backend may work
