Recordings in the formats of other systems. export.py compares all events and fields.

  $ cairn record -q -e 'Cli_Work*' -o t.cairn -- work 3
  $ cairn export -f perfetto -o t.pftrace t.cairn
  $ head -c 1 t.pftrace | od -An -tx1
   0a
  $ cairn export -f ctf -o t.ctf -e Work t.cairn
  $ ls t.ctf
  metadata
  stream
  $ grep -c '^event' t.ctf/metadata
  2
  $ grep 'name = "Cli' t.ctf/metadata
  	name = "Cli_Work:Work";
  $ cairn export -f perfetto -o - <t.cairn | cmp - t.pftrace

A directory that is not empty is not replaced; a file is.

  $ cairn export -f ctf -o t.ctf t.cairn
  cairn export: cannot write t.ctf: the directory exists and is not empty
  [1]
  $ mkdir empty && cairn export -f ctf -o empty t.cairn && ls empty
  metadata
  stream
  $ echo old >file && cairn export -f perfetto -o file t.cairn && cmp file t.pftrace
  $ cairn export -f ctf -o file t.cairn
  cairn export: cannot write file: Not a directory
  [1]
  $ cairn export -f perfetto -o t.ctf t.cairn
  cairn export: cannot write t.ctf: Is a directory
  [1]
  $ cairn export -f perfetto -o t.cairn t.cairn
  cairn export: cannot write t.cairn: it is one of the inputs
  [1]
  $ cairn export -f perfetto -o - - <t.cairn >u.cairn; cp t.cairn v.cairn; cairn export -f perfetto -o v.cairn <v.cairn; cmp t.cairn v.cairn
  cairn export: cannot write v.cairn: it is one of the inputs
  $ cairn export -f perfetto -o /dev/null t.cairn

Links are followed; a directory may be the working directory.

  $ echo old >file && ln -s file link && cairn export -f perfetto -o link t.cairn && cmp file t.pftrace && readlink link
  file
  $ (cairn export -f perfetto -o /dev/stdout t.cairn; echo more) >file; head -c -5 file | cmp - t.pftrace
  $ mkdir other && (cd other && cairn export -f ctf -o . ../t.cairn; ls $PWD)
  metadata
  stream
  $ rm -r link other u.cairn v.cairn

An export that fails leaves nothing, also under the temporary name.

  $ cairn export -f perfetto -o none/t t.cairn
  cairn export: cannot write none/t: No such file or directory
  [1]
  $ cairn export -f perfetto -o none missing.cairn
  cairn export: missing.cairn: cannot be opened: No such file or directory
  [1]
  $ cairn export -f perfetto -o /dev/full t.cairn
  cairn export: cannot write /dev/full: No space left on device
  [1]
  $ ls -A
  empty
  file
  t.cairn
  t.ctf
  t.pftrace

Counters, stacks of spans, requests.

  $ cairn export -f chrome --counters Number,Ms -o - t.cairn | grep -c '"ph":"C"'
  6
  $ cairn export -f perfetto --counters Number,Ms -o - t.cairn | grep -ac 'Cli_Work:Work Number'
  1
  $ cairn record -q -o n.cairn -- work nested
  $ cairn export -f folded -o - n.cairn | grep 'Begin;.*Begin;.*Begin'
  cairn export: -: 1 events are no spans: they are left out
  work;Cli_Work:Begin;Cli_Work:Begin;Cli_Work:Begin * (glob)
  $ cairn export -f otlp_json -o - n.cairn 2>/dev/null | cut -c 1-17
  {"resourceSpans":
  {"resourceLogs":[
  $ cairn export -f otlp -o n.otlp n.cairn && ls n.otlp
  cairn export: n.otlp: 1 texts contain U+FFFD, where a byte or a character is not valid in the format
  logs.otlp
  traces.otlp

The format of trace-cmd has a name with a point. cairn reads it, too.

  $ cairn export -f trace.dat -o t.dat t.cairn && cairn stats t.dat | tail -n 1 | cut -d , -f 1
  6 events
  $ cairn decode -f text t.dat | head -n 1 | grep -o 'Work: Number=[^=]*=a b=c Big=[0-9]*'
  Work: Number=0 Name=a b=c Big=0

A database is a file.

  $ cairn export -f sqlite -o - t.cairn
  cairn export: cannot write -: Illegal seek
  [1]
  $ cairn export -f sqlite -o t.db t.cairn && head -c 15 t.db
  SQLite format 3

CSV is what decode prints. Parquet is made by a program, which gets JSON lines; without it, and if it fails, there is no output.

  $ cairn export -f csv -o t.csv t.cairn && cairn decode -f csv t.cairn | cmp - t.csv
  $ cairn export -f csv -o - --filter 'Number > 1000' t.cairn
  time,time_ns,cpu,pid,tid,comm,provider,event,level,keyword,activity,fields,stack
  $ PATH=$(dirname "$(command -v cairn)") cairn export -f parquet -o "t'.parquet" t.cairn
  cairn export: the format parquet needs the program duckdb, which is not in PATH
  [1]
  $ mkdir bin && printf '#!/bin/sh\necho "$5" >sql\ncat >lines\n[ -z "$FAIL" ] || exit 7\n' >bin/duckdb && chmod +x bin/duckdb
  $ PATH=$PWD/bin:$PATH cairn export -f parquet -o "t'.parquet" t.cairn && ls t*.parquet
  t'.parquet
  $ cairn decode -f jsonl t.cairn | cmp - lines
  $ grep -o "TO '[^(]*" sql | tr 0-9 N | tr -s N
  TO '.t''.parquet.N.tmp' * (glob)
  $ FAIL=1 PATH=$PWD/bin:$PATH cairn export -f parquet -o other.parquet t.cairn
  cairn export: cannot write other.parquet: duckdb ended with the exit status 7
  [1]
  $ ls -A | grep other
  [1]
  $ PATH=$PWD/bin:$PATH cairn export -f parquet -o - t.cairn
  cairn export: cannot write -: Illegal seek
  [1]
  $ PATH=$PWD/bin:$PATH cairn query -f parquet t.cairn 'SELECT count(*) AS n FROM events' && cat lines
  {"n":6}

What differs is reported, and damaged input is exported up to the damage.

  $ cairn record -q -o s.cairn -- work spans
  $ cairn export -f perfetto -o s.pftrace s.cairn
  cairn export: s.pftrace: 1 spans ended that had not begun: they are instants
  cairn export: s.pftrace: 1 spans did not end
  $ head -c 2000 t.cairn >cut.cairn
  $ cairn export -f perfetto -o cut.pftrace cut.cairn 2>/dev/null
  [1]
  $ ls cut.pftrace
  cut.pftrace

Invalid options are errors.

  $ cairn export -o x t.cairn
  cairn export: -f FORMAT is needed (ctf, perfetto, chrome, folded, otlp, otlp_json, firefox, sqlite, csv, parquet, stacks, trace_dat, ctf2)
  [2]
  $ cairn export -f none -o x t.cairn
  cairn export: no such format: none (ctf, perfetto, chrome, folded, otlp, otlp_json, firefox, sqlite, csv, parquet, stacks, trace_dat, ctf2)
  [2]
  $ cairn export -f ctf t.cairn
  cairn export: -o OUT is needed
  [2]
  $ cairn export -f ctf -o - t.cairn
  cairn export: the format ctf is a directory, which standard output is not
  [1]
  $ cairn export -f ctf -o x -e Nothing t.cairn
  cairn export: no event matches Nothing
  [4]
