A recorder that begins later gets the spans that are open: their fields, of which one has no value yet, the thread that began them,
and their age.

  $ mkfifo ready
  $ open_spans > ready & exec 3< ready; read -r line <&3
  > cairn record -q -e 'Open_Spans_*' -o o.cairn -- sh -c 'cat <&3'
  $ cairn decode -f jsonl o.cairn | sed 's/.*"event"//; s/"trace_id".*"thread_id/"thread_id/; s/"trace_id".*//' | grep activity_start
  :"request",*"opcode":"activity_start",*"fields":{"id":7,"thread_id":*,"age_ns":*}} (glob)
  :"query",*"opcode":"activity_start",*"fields":{"table":"people","rows":null,"thread_id":*,"age_ns":*}} (glob)

Their time and thread are those of their begin.

  $ cairn query -f csv o.cairn 'SELECT c.name, c.depth, c.tid != p.tid, c.duration_ns > 10000000, p.name, p.stop_ns FROM activities c JOIN activities p ON c.parent = p.id' |
  > tail -n 1
  query,1,1,1,request,

So it is in OpenTelemetry: the span began a millisecond before its first event, at least.

  $ cairn export -f otlp_json -o otlp.json o.cairn
  cairn export: otlp.json: 1 spans did not end
  $ sed -n 's/.*"name":"query","kind":1,"startTimeUnixNano":"\([0-9]*\)".*/\1/p; s/[^T]*"timeUnixNano":"\([0-9]*\)".*/\1/p' otlp.json |
  > { read -r span; read -r event; test "$((event - span))" -gt 1000000; }

In Perfetto, Chrome and the Firefox Profiler it begins there, too, in the thread that began it.

  $ cat > starts.py <<'P'
  > import json, re, subprocess
  > def export(form):
  >     return subprocess.run(["cairn", "export", "-f", form, "-o", "-", "o.cairn"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
  > events = [json.loads(line) for line in subprocess.run(["cairn", "decode", "-f", "jsonl", "--time", "mono", "o.cairn"], stdout=subprocess.PIPE).stdout.splitlines()]
  > def start_of(event):
  >     return event["time_ns"] - event["fields"].get("age_ns", 0)
  > late = {e["event"]: (e["fields"]["thread_id"], start_of(e)) for e in events if "age_ns" in e["fields"]}
  > first = start_of(events[0])
  > tick = next(e["time_ns"] for e in events if e["event"] == "Tick")
  > def is_near(ms, ns):
  >     return abs(ms * 1e6 - ns) < 1000
  > chrome = [e for e in json.loads(export("chrome"))["traceEvents"] if e["ph"] in "Bi"]
  > begins = {e["name"]: e for e in chrome if e["ph"] == "B"}
  > print([begins[name]["tid"] == tid and is_near(begins[name]["ts"] / 1000, max(start - first, 0)) for name, (tid, start) in late.items()],
  >       min(e["ts"] for e in chrome), is_near(next(e["ts"] for e in chrome if e["name"] == "Tick") / 1000, tick - first))
  > found = {}
  > for thread in json.loads(export("firefox"))["threads"]:
  >     for name, start in zip(thread["markers"]["name"], thread["markers"]["startTime"]):
  >         found.setdefault(thread["stringArray"][name].split(":")[1], (str(thread["tid"]), start))
  > ago = found["request"][1] - (late["request"][1] - first) / 1e6
  > print([found[name][0] == str(tid) and is_near(found[name][1] - ago, start - first) for name, (tid, start) in late.items()],
  >       is_near(found["Tick"][1] - ago, tick - first))
  > P
  $ python3 starts.py
  [True, True] 0.0 True
  [True, True] True

A report draws them from the first event on; their durations are those that cairn stats has.

  $ cairn report -q -o o.html o.cairn
  $ cairn stats --durations -f jsonl o.cairn 2>/dev/null | sed 's/.*"count":\([0-9]*\),"sum":\([0-9]*\),.*/"durations":[\1,\2/' > wanted
  $ grep -o '"durations":\[[0-9]*,[0-9]*' o.html | cmp - wanted

Open spans are shown.

  $ open_spans stay > ready & exec 3< ready; read -r line <&3
  > cairn live --spans -e 'Open_Spans_*' -- sh -c 'cat <&3' | tail -n 1; kill $!
   * Open_Spans:request (glob)
