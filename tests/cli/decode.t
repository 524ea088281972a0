Prints one recording in each format.

  $ cairn record -q -e 'cli_*' -o t.data -- emit cli_one 2
  $ cairn decode t.data
  {
  "t.data": [
   {"n":"user_events:cli_one","number":0,"text":"hello","meta":{"time":"20*Z","cpu":*,"pid":*,"tid":*}}, (glob)
   {"n":"user_events:cli_one","number":1,"text":"hello","meta":{"time":"20*Z","cpu":*,"pid":*,"tid":*}} ] (glob)
  }
  $ cairn decode --format=jsonl t.data | tail -n 1
  {"time":"20*Z","time_ns":*,"cpu":*,"pid":*,"tid":*,"provider":"user_events","event":"cli_one","comm":"emit","fields":{"number":1,"text":"hello"}} (glob)
  $ cairn decode -f text t.data | tail -n 1
              emit-[0-9]+ +\[[0-9]{3}\] +[0-9]+\.[0-9]{6}: cli_one: number=1 text=hello (re)

Standard input is read if no file is given, or as the file -.

  $ cairn decode <t.data | sed -n 2p
  "stdin": [
  $ cat t.data | cairn decode -f jsonl - t.data | wc -l
  4

Files of the same name are distinguished by their paths.

  $ mkdir -p a; cp t.data a; cairn decode a/t.data t.data | grep '": \['
  "a/t.data": [
  "t.data": [

Output goes to a file, which must not be an input.

  $ cairn decode -f text -o out t.data; wc -l <out
  2
  $ cairn decode -f text -o out t.data; wc -l <out
  2
  $ cairn decode -o t.data a/t.data t.data
  cairn decode: cannot write t.data: it is one of the inputs
  [1]
  $ cp t.data u.data; cairn decode -o u.data <u.data; cairn decode -o u.data - <u.data; cmp t.data u.data
  cairn decode: cannot write u.data: it is one of the inputs
  cairn decode: cannot write u.data: it is one of the inputs
  $ cairn decode -o no/such/directory t.data
  cairn decode: cannot write no/such/directory: No such file or directory
  [1]
  $ cairn decode -f text t.data | wc -l
  2

A full disk is an error; a reader that ends early is not.

  $ cairn decode t.data >/dev/full
  cairn decode: cannot write standard output: No space left on device
  [1]
  $ trap '' PIPE; cairn decode t.data | true

A truncated file is printed up to its end, with the position. A file that cannot be opened does not affect the others.

  $ head -c -40 t.data >cut; cairn decode -f jsonl nowhere cut t.data >out; echo $?; wc -l <out
  cairn decode: nowhere: cannot be opened: No such file or directory
  cairn decode: cut: at byte * (glob)
  1
  * (glob)

In the document of the format json each file has a key of its own, also if two have the same name, or one is given twice.

  $ mkdir d; cp t.data d; cp t.data t.data#2; cp t.data stdin
  $ echo 'cairn decode "$@" <t.data | grep -o "^\"[^\"]*\": \["' >keys; chmod +x keys
  $ ./keys t.data t.data; ./keys - -; ./keys t.data d/t.data ./t.data t.data t.data; ./keys t.data t.data t.data#2; ./keys - stdin stdin
  "t.data": [
  "t.data#2": [
  "stdin": [
  "stdin#2": [
  "t.data": [
  "d/t.data": [
  "./t.data": [
  "t.data#2": [
  "t.data#3": [
  "t.data": [
  "t.data#3": [
  "t.data#2": [
  "stdin": [
  "stdin#2": [
  "stdin#3": [

Several threads print the same, of all kinds of recordings and in all formats.

  $ cairn record -q -e 'cli_*' -o t.cairn -- emit cli_one 300
  $ cairn record -q -z -e 'cli_*' -o z.cairn -- emit cli_two 300
  $ for format in json jsonl text csv; do
  >     for files in t.cairn z.cairn t.data 't.cairn t.data z.cairn' '-e cli_one t.cairn z.cairn'; do
  >         cairn decode -f $format $files >one; cairn decode -j 3 -f $format $files >three; cmp one three
  >     done
  > done
  $ cairn decode -j 2 -f jsonl - <t.cairn | wc -l
  300
  $ cairn decode --jobs 2 -f jsonl -e no_such t.cairn
  cairn decode: no event matches no_such
  [4]
  $ cairn decode -j 0 t.cairn
  cairn decode: --jobs takes a number of threads, 1 to 256: 0
  [2]

Invalid options are errors.

  $ cairn decode -f yaml t.data
  cairn decode: no such format: yaml (json, jsonl, text and csv)
  [2]
  $ cairn decode -x t.data
  cairn decode: no such option: -x
  Try: cairn decode --help
  [2]
  $ cairn decode -o
  cairn decode: option -o needs a value
  Try: cairn decode --help
  [2]
