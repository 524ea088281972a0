A recording becomes a trace file and back, and decodes alike.

  $ cairn record -q -e 'cli_*' -o t.data -- emit cli_one 3
  $ cairn convert t.data t.cairn
  $ cairn decode -f text t.cairn | cut -d: -f2-
   cli_one: number=0 text=hello
   cli_one: number=1 text=hello
   cli_one: number=2 text=hello
  $ cairn convert t.cairn back.data
  $ cairn decode -f jsonl t.data >a; cairn decode -f jsonl t.cairn | cmp - a; cairn decode -f jsonl back.data | cmp - a

Streams work on both sides.

  $ cat t.data | cairn convert -f cairn - - | cairn decode -f jsonl - | cmp - a
  $ cat t.cairn | cairn convert - - | cairn decode -f jsonl - | cmp - a

An older output is kept.

  $ cairn convert t.data t.cairn; ls t.cairn*
  t.cairn
  t.cairn.old

Damaged input is converted up to the damage.

  $ head -c 700 t.cairn >cut.cairn; cairn convert cut.cairn cut.data
  cairn convert: cut.cairn: at byte *: cut short* (glob)
  [1]

What is wrong is said.

  $ cairn convert t.data
  cairn convert: two files are needed: IN and OUT
  [2]
  $ cairn convert -f ctf t.data x
  cairn convert: no such format: ctf; there are cairn and perf
  [2]
  $ cairn convert -z20 t.data x.cairn
  cairn convert: a level of compression is a number from 1 to 19: 20
  [2]
  $ cairn convert t.data x.data
  cairn convert: t.data: at byte 0: not a trace file: no magic
  [1]
  $ cairn convert t.cairn x.cairn
  cairn convert: t.cairn: at byte 0: not a perf.data file: no magic
  cairn convert: a trace file is made of perf.data, and of another trace file by cairn cat -o OUT IN
  [1]
  $ cairn convert missing x.cairn
  cairn convert: missing: cannot be opened: No such file or directory
  [1]
  $ cairn convert -f cairn t.data /dev/full
  cairn convert: /dev/full: No space left on device
  [1]
  $ ls x*
  ls: cannot access 'x*': No such file or directory
  [2]
