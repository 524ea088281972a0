What does not fit into the buffers is counted, told, and has an exit status of its own.

  $ cairn record -e 'lost_*' --buffer-size 512K -o t.data -- emit lost_one 3000000 2>&1 | tail -n 1
  cairn record: * events were lost: their buffer was full. Use a larger --buffer-size. (glob)
  $ cairn record -q -e 'lost_*' --buffer-size 512K -o t.data -- emit lost_one 3000000 2>/dev/null
  [3]

Recorded and lost together are what was written; the file tells the loss too.

  $ cairn record -e 'lost_*' --buffer-size 512K -o t.data -- emit lost_one 3000000 2>&1 |
  > tr -d , | awk '/^Recorded/ { n += $2; sub(/.*lost /, ""); n += $1 } END { print n }'
  3000000
