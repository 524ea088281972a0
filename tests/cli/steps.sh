# What the transcripts' commands may use besides the programs.

# await COMMAND...: until it says yes, for at most some minutes: the machine may be busy.
await() {
  local tries
  for ((tries = 0; tries < 10000; tries++)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.02
  done
  echo "in vain: $*" >&2
}

# listed PATTERN: whether a line of `cairn list` matches.
listed() {
  cairn list | grep -q -e "$1"
}

# sessions COUNT: whether so many collect events.
sessions() {
  [[ $(ls "$CAIRN_TRACING_DIR/sessions" | wc -l) == "$1" ]]
}

# has_lines COUNT FILE: whether there are so many by now.
has_lines() {
  (($(wc -l <"$2") >= $1))
}

# visit COUNT COMMAND...: the COUNT-th to come to `v4_example TIMES taken.txt >seen.txt`, to be given events, and to go.
visit() {
  local count=$1
  shift
  "$@" &
  await has_lines "$count" taken.txt
  kill -INT $!
  wait $!
  await has_lines "$count" seen.txt
}
