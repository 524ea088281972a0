A table: the fields that were chosen are its columns.

  $ cairn record -q -e 'Cli_Work*' -o t.data -- work 3
  $ cairn decode -f csv --head 2 t.data
  time,time_ns,cpu,pid,tid,comm,provider,event,level,keyword,activity,fields,stack
  20*Z,*,*,*,*,"work","Cli_Work","Work",information,0x1,,"{""Number"":0,""Name"":""a b=c"",""Big"":0}", (glob)
  20*Z,*,*,*,*,"work","Cli_Work","Peer",warning,0x2,,"{""Peer"":{""Address"":""10.0.0.1"",""Port"":0},""Ms"":0,""Numbers"":[0,1]}", (glob)
  $ cairn decode -f csv --fields Name,Peer.Port,Big,Numbers,Peer t.data | cut -d, -f12- | tail -n 4
  "plain",,1152921504606846976,,
  ,1,,"[1,2]","{""Address"":""10.0.0.1"",""Port"":1}"
  "a b=c",,2305843009213693952,,
  ,2,,"[2,3]","{""Address"":""10.0.0.1"",""Port"":2}"

Other formats have only these fields, too. In text, values that could be taken for more than one are quoted.

  $ cairn decode -f text --fields Name,Peer.Port t.data | sed 's/.*Cli_Work:/Cli_Work:/' | head -n 3
  Cli_Work:Work: Name="a b=c" (level=information keyword=0x1)
  Cli_Work:Peer: Peer={Port=0} (level=warning keyword=0x2)
  Cli_Work:Work: Name=plain (level=information keyword=0x1)
  $ cairn decode -f jsonl --fields Peer,Big t.data | grep -o '"fields".*' | tail -n 2
  "fields":{"Big":2305843009213693952}}
  "fields":{"Peer":{"Address":"10.0.0.1","Port":2}}}

A name that no event has is reported, whatever the format and the number of threads.

  $ for f in json jsonl text csv; do for j in 1 2; do cairn decode -f $f -j $j --fields Name,Peer.Pork,stack t.data >/dev/null; echo $?; done; done 2>&1 | sort | uniq -c
        8 4
        8 cairn decode: no event has the field Peer.Pork
  $ cairn decode -f csv -e Peer --fields Name,Peer t.data | tail -n 1
  cairn decode: no event has the field Name
  20*"Peer",warning,0x2,,,"{""Address"":""10.0.0.1"",""Port"":2}" (glob)
  $ for o in '--head 1' '--tail 1' '--head 0' '--tail 0'; do cairn decode -f csv $o --fields Name,Peer.Port t.data | wc -l; done
  2
  2
  1
  1
  $ cairn decode --fields a,,b t.data
  cairn decode: --fields has an empty name: a,,b
  [2]

Times have several forms.

  $ for t in utc local mono delta epoch-ns; do TZ=UTC-2 cairn decode -f text --time $t --tail 1 t.data | grep -o '\] .*: Cli'; done
  ] 20*Z: Cli (glob)
  ] 20*+02:00: Cli (glob)
  ] [ 0-9]*\.[0-9]{6}: Cli (re)
  ] 0.000000: Cli
  ] [0-9]{19}: Cli (re)
  $ cairn decode -f jsonl --time delta t.data | head -n 1
  {"delta":0.000000000,"time_ns":*,"cpu":* (glob)
  $ cairn decode -f json --time epoch-ns t.data | grep -c '"time":[0-9]*,'
  6
  $ cairn decode --time noon t.data
  cairn decode: no such form of time: noon (utc, local, mono, delta and epoch-ns)
  [2]

On a terminal there are colours, and a pager; NO_COLOR and --no-pager turn them off.

  $ echo 'script -qec "cairn decode -f text --head 1 $* t.data" /dev/null </dev/null | tr -d "\r"' >terminal; chmod +x terminal
  $ TERM=xterm PAGER='sed s/^/paged:/' ./terminal | cat -v
  paged:^[[2m *^[[0m ^[[32mCli_Work:Work:^[[0m Number=0* (glob)
  $ TERM=xterm PAGER='sed s/^/paged:/' NO_COLOR=1 ./terminal | cat -v
  paged: *[*] *: Cli_Work:Work: Number=0* (glob)
  $ TERM=xterm PAGER='sed s/^/paged:/' NO_COLOR=1 ./terminal --no-pager
   * Cli_Work:Work: Number=0* (glob)
