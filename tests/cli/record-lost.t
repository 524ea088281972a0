Events that do not fit into the buffers are counted and reported, and have an exit status of their own.

  $ cairn record -e 'lost_*' --buffer-size 512K -o t.data -- emit lost_one 3000000 2>&1 | tail -n 1
  cairn record: * events were lost: their buffer was full. Use a larger --buffer-size. (glob)
  $ cairn record -q -e 'lost_*' --buffer-size 512K -o t.data -- emit lost_one 3000000 2>/dev/null
  [3]

The sum of recorded and lost events is the number of written ones.

  $ cairn record -e 'lost_*' --buffer-size 512K -o t.data -- emit lost_one 3000000 2>&1 |
  > tr -d , | awk '/^Recorded/ { n += $2; sub(/.*lost /, ""); n += $1 } END { print n }'
  3000000
