Functions of programs are recorded without a change to them, with the arguments that their debug information describes.

  $ cairn record -q --function emit:main -o t.cairn -- emit cli_one 3
  $ cairn decode -f jsonl t.cairn | grep '"main"' | python3 -c 'import json, sys
  > for line in sys.stdin:
  >     e = json.loads(line)
  >     print(e["provider"], e["event"], e["comm"], e["fields"]["argc"])'
  emit main emit 3

The kernel keeps no probe after the recording.

  $ cairn record -q --function emit:main -o t.cairn -- emit cli_one 3
  $ cairn stats t.cairn | awk '/main/ { print $1, $NF }'
  1 emit:main

With their callers, where the pattern ends in /stack/.

  $ cairn record -q --function 'emit:main/stack/' -o t.cairn -- emit cli_one 3
  $ cairn decode -f jsonl t.cairn | python3 -c 'import json, sys
  > for line in sys.stdin:
  >     e = json.loads(line)
  >     print(e["event"], [f.get("symbol") for f in e.get("stack", [])][:1])' | sort -u
  cli_one []
  main ['main']

Static probes, by provider and name, too.

  $ cairn record -q --sdt 'stacks:cli:leaf_*/stack/' -o t.cairn -- stacks 2
  $ cairn decode -f jsonl t.cairn | grep leaf_probe | python3 -c 'import json, sys
  > for line in sys.stdin:
  >     e = json.loads(line)
  >     print(e["provider"], e["event"], [f.get("symbol") for f in e.get("stack", [])][:3])' | sort | uniq -c | tr -s ' '
   4 stacks leaf_probe ['leaf', 'middle', 'outer']
  $ cairn record -q --sdt 'stacks:leaf_probe' -o t.cairn -- stacks 2; cairn decode -f jsonl t.cairn | grep leaf_probe | grep -c stack.:
  0
  [1]

What cannot be found is reported.

  $ cairn record --function emit:no_such_function -- emit cli_one 1
  cairn record: cannot record events of the kernel: emit:no_such_function: no function or probe has such a name
  [1]
  $ cairn record --function no-such-program:main -- emit cli_one 1
  cairn record: cannot record events of the kernel: no-such-program:main: there is no program no-such-program
  [1]
  $ cairn record --function main -- emit cli_one 1
  cairn record: cannot record events of the kernel: main: expected PROGRAM:NAME
  [1]
  $ cairn record --sdt emit:main -- emit cli_one 1
  cairn record: cannot record events of the kernel: emit:main: no function or probe has such a name
  [1]
  $ echo text > text; cairn record --function ./text:main -- emit cli_one 1
  cairn record: cannot record events of the kernel: ./text:main: not an executable or a library
  [1]
