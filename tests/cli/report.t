One HTML file that shows a recording.

  $ cairn record -q -e 'Cli_Work*' -o t.data -- sh -c 'work 100; work spans'
  $ cairn report -o r.html t.data
  r.html: 206 events, * MiB (glob)
  $ head -c 15 r.html
  <!doctype html>
  $ grep -c 'id="cairn-index"' r.html
  1

Nothing in it is fetched from elsewhere.

  $ grep -cE '(src|href)="?https?:' r.html
  0
  [1]

Events can be selected; the page can be written to standard output.

  $ cairn report -q -e Work -o - t.data | grep -o '"event":"[A-Za-z]*"' | sort -u
  "event":"Work"

Fields that make the page too large are left out, which is reported.

  $ cairn report --fields-max 1 -o s.html t.data
  s.html: 206 events, * MiB (glob)
  cairn report: the fields of the last 206 events were left out (--fields-max); select events with -e, --since or --until

Text in a recording does not become markup.

  $ cairn report -q --title '</script><script>alert(1)</script>' -o x.html t.data
  $ grep -c '<script>alert' x.html
  0
  [1]

Errors.

  $ cairn report -o r.html missing.data
  cairn report: missing.data: cannot be opened: No such file or directory
  [1]
  $ cairn report --fields-max much t.data
  cairn report: not a size: much
  [2]
  $ cairn report -o /nonexistent/r.html t.data
  cairn report: cannot write /nonexistent/r.html: No such file or directory
  [1]
  $ cairn report -o /dev/full t.data
  cairn report: cannot write /dev/full: No space left on device
  [1]
  $ cp t.data input.data; cairn report -o input.data input.data
  cairn report: cannot write input.data: it is one of the inputs
  [1]
  $ cmp t.data input.data
