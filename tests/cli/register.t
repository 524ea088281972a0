Tracepoints are registered before their program, while a command runs.

  $ cairn register 'early u32 number; char[8] text' 'bare' -- cairn list --fields
     bare
     early u32 number; char[8] text
  $ cairn list
  cairn list: no program has registered an event
  [1]

Tracepoints of providers have the names of EventHeader. Levels have names, keywords are numbers in C's notation.

  $ cairn register --provider My_Server warning 0x1f --provider My_Server:web 5 10 -- cairn list
     My_Server_L3K1f
     My_Server_L5KaGweb
  $ cairn register --provider P:web:AxZ9 1 1 --provider P:H 2 1 --provider P::H1 3 1 -- cairn list
     P_L1K1AxGwebZ9
     P_L2K1H
     P_L3K1H1

Without a command they remain until Ctrl-C. The names are printed when all are registered, as perf knows them.

  $ cairn register 'one u32 a' --provider P error 1 >names.txt 2>said.txt &
  > await grep P_L2K1 names.txt; await grep Ctrl-C said.txt; cairn list; kill -INT $!; wait $!; cat names.txt said.txt
     P_L2K1
     one
  user_events:one
  user_events:P_L2K1
  Registered with the local engine. Press Ctrl-C to end.
  $ cairn register -q one & await listed one; kill -TERM $!; wait $!

A program that starts later shares the tracepoint, and its first event is recorded.

  $ cairn register 'cli_one u32 number; char[8] text' -- cairn record -q -e cli_one -o t.data -- emit cli_one 10
  $ cairn decode -f jsonl t.data | wc -l
  10

Registering the same name with other fields fails, for the program and for the verb.

  $ cairn register 'cli_one u64 other' -- emit cli_one 1
  emit: Address already in use
  [1]
  $ emit cli_one 0 wait & emit=$!; await listed cli_one; cairn register 'cli_one u64 other'; cairn live -q & wait $emit; kill -INT $!; wait
  cairn register: cannot register cli_one with the local engine: Address already in use (the name is in use with other fields, which cairn list --fields prints)

A persistent tracepoint remains until it is deleted.

  $ cairn register --persist 'stays u32 a'
  user_events:stays
  $ cairn list --fields
     stays u32 a
  $ cairn register -q --persist 'stays u32 a' && cairn list
     stays
  $ cairn register 'stays u64 a'
  cairn register: cannot register stays with the local engine: Address already in use (the name is in use with other fields, which cairn list --fields prints)
  [1]

With --multi-format a name may have several formats, each an event of its own.

  $ cairn events delete stays
  $ cairn register --multi-format 'many u32 a' 'many u64 a' -- cairn list --fields | sed 's/\.[0-9a-f]* / /'
     many u32 a
     many u64 a
  $ cairn register --multi-format --persist 'many u32 a'
  user_events_multi:many.*
  $ cairn register --multi-format 'many u64 a' -- cairn list | wc -l
  2
  $ cairn events delete many && cairn list
  cairn list: no program has registered an event
  [1]

The exit status is the command's, which is terminated when the verb is.

  $ cairn register one -- sh -c 'exit 42'
  [42]
  $ cairn register one -- sleep 60 & await listed one; kill -INT $!; wait $!
  $ cairn register one -- nowhere/to/be/found
  cairn register: cannot run nowhere/to/be/found: No such file or directory
  [127]

Names are accepted as perf and dynamic_events write them, levels as the decoder and the macros do.

  $ cairn register 'u:one u32 a' 'user_events:two u32 a' 'u:user_events/three' -- cairn list --fields
     one u32 a
     three
     two u32 a
  $ cairn register --provider P critical_error 1 --provider P INFORMATION 0x2 --provider P info 4 --provider P Critical 8 -- cairn list
     P_L1K1
     P_L1K8
     P_L4K2
     P_L4K4

A command text that names the tracepoint of a provider is an error, not an event without fields.

  $ cairn register Prov:4:0x23; cairn register P:web:Hx1:info:1; cairn register Prov:warning; cairn register P:4:x
  cairn register: Prov:4:0x23 names the tracepoint of a provider. To register it: --provider Prov 4 0x23
  cairn register: P:web:Hx1:info:1 names the tracepoint of a provider. To register it: --provider P:web:Hx1 info 1
  cairn register: Prov:warning names the tracepoint of a provider. To register it: --provider Prov warning KEYWORD
  cairn register: P:4:x names the tracepoint of a provider. To register it: --provider PROVIDER[:GROUP][:OPTIONS] LEVEL KEYWORD
  [2]
  $ cairn register My_Lib_L5Kff; cairn register user_events:P_L5K1AxGweb; cairn register 'P_L5K1 u32 a' 'P:FLAG u32 a' P_Link P_L5K1_ -- cairn list
  cairn register: My_Lib_L5Kff names the tracepoint of a provider. To register it: --provider My_Lib 5 0xff
  cairn register: P_L5K1AxGweb names the tracepoint of a provider. To register it: --provider P[:GROUP][:OPTIONS] 5 0x1
     P
     P_L5K1
     P_L5K1_
     P_Link

Invalid command lines are errors.

  $ cairn register
  cairn register: no event to register
  Try: cairn register --help
  [2]
  $ cairn register 'one u33 a'
  cairn register: invalid command text, at byte 4: one u33 a
  [1]
  $ cairn register --provider P 0 1; cairn register --provider P 3; cairn register --provider P warning -1; cairn register --provider P 256 1
  cairn register: --provider expects NAME[:GROUP][:OPTIONS] LEVEL KEYWORD: LEVEL is 1 to 255, critical, error, warning, info or verbose, KEYWORD is a number
  cairn register: --provider expects NAME[:GROUP][:OPTIONS] LEVEL KEYWORD: LEVEL is 1 to 255, critical, error, warning, info or verbose, KEYWORD is a number
  cairn register: --provider expects NAME[:GROUP][:OPTIONS] LEVEL KEYWORD: LEVEL is 1 to 255, critical, error, warning, info or verbose, KEYWORD is a number
  cairn register: --provider expects NAME[:GROUP][:OPTIONS] LEVEL KEYWORD: LEVEL is 1 to 255, critical, error, warning, info or verbose, KEYWORD is a number
  [2]
  $ cairn register --provider 'P:lower_' 1 1; cairn register --provider P:HxAx 1 1; cairn register --provider P:web:Gx 1 1
  cairn register: invalid provider P:lower_: expected NAME[:GROUP][:OPTIONS], NAME without spaces, GROUP of lower-case letters and digits, each option beginning with a capital letter other than G, in alphabetical order
  cairn register: invalid provider P:HxAx: * (glob)
  cairn register: invalid provider P:web:Gx: * (glob)
  [2]
  $ cairn register --backend windows one
  cairn register: no such backend: windows (auto, kernel, local, both)
  [2]
  $ CAIRN_BACKEND=none cairn register one
  cairn register: CAIRN_BACKEND=none disables all backends: select one with --backend
  [1]

Headers for BPF programs need the kernel's events, of one format each, that do not persist.

  $ cairn register --backend local --bpf one.h 'one u32 a'; cat one.h
  cairn register: --bpf needs the kernel's user_events, which are not selected or not usable (run cairn doctor)
  cat: one.h: No such file or directory
  [1]
  $ cairn register --bpf one.h --persist 'one u32 a'; cairn register --bpf one.h --multi-format 'one u32 a'
  cairn register: --bpf cannot be combined with --multi-format or --persist
  cairn register: --bpf cannot be combined with --multi-format or --persist
  [2]
