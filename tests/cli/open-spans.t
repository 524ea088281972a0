A recorder that begins later gets the spans that are open: their fields, the thread that began them, and their age.

  $ mkfifo ready
  $ open_spans > ready & exec 3< ready; read -r line <&3
  > cairn record -q -e 'Open_Spans_*' -o o.cairn -- sh -c 'cat <&3'
  $ cairn decode -f jsonl o.cairn | sed 's/.*"event"//; s/"trace_id".*"thread_id/"thread_id/; s/"trace_id".*//' | grep activity_start
  :"request",*"opcode":"activity_start",*"fields":{"id":7,"thread_id":*,"age_ns":*}} (glob)
  :"query",*"opcode":"activity_start",*"fields":{"table":"people","thread_id":*,"age_ns":*}} (glob)

Their time and thread are those of their begin.

  $ cairn query -f csv o.cairn 'SELECT c.name, c.depth, c.tid != p.tid, c.duration_ns > 10000000, p.name, p.stop_ns FROM activities c JOIN activities p ON c.parent = p.id' |
  > tail -n 1
  query,1,1,1,request,

So it is in OpenTelemetry: the span began a millisecond before its first event, at least.

  $ cairn export -f otlp_json -o otlp.json o.cairn
  cairn export: otlp.json: 1 spans did not end
  $ sed -n 's/.*"name":"query","kind":1,"startTimeUnixNano":"\([0-9]*\)".*/\1/p; s/[^T]*"timeUnixNano":"\([0-9]*\)".*/\1/p' otlp.json |
  > { read -r span; read -r event; test "$((event - span))" -gt 1000000; }

Open spans are shown.

  $ open_spans stay > ready & exec 3< ready; read -r line <&3
  > cairn live --spans -e 'Open_Spans_*' -- sh -c 'cat <&3' | tail -n 1; kill $!
   * Open_Spans:request (glob)
