# Functions for the commands of the transcripts.

# await COMMAND...: waits until the command succeeds, for at most some minutes.
await() {
  local tries
  for ((tries = 0; tries < 10000; tries++)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.02
  done
  echo "timeout: $*" >&2
}

# listed PATTERN: succeeds if a line of `cairn list` matches.
listed() {
  cairn list | grep -q -e "$1"
}

# sessions COUNT: succeeds if COUNT sessions are running. The file of a session is locked as long as its recorder lives: that of
# a killed recorder stays until the next recorder removes it.
sessions() {
  local file running=0
  for file in "$CAIRN_TRACING_DIR"/sessions/*; do
    if [[ -e $file ]] && grep -q ":$(stat -c %i "$file") " /proc/locks; then
      ((running += 1))
    fi
  done
  ((running == $1))
}

# has_lines COUNT FILE: succeeds if the file has at least COUNT lines.
has_lines() {
  (($(wc -l <"$2") >= $1))
}

# visit COUNT COMMAND...: runs the COUNT-th reader of `v4_example TIMES taken.txt >seen.txt` until it has got events.
visit() {
  local count=$1
  shift
  "$@" &
  await has_lines "$count" taken.txt
  kill -INT $!
  wait $!
  await has_lines "$count" seen.txt
}

# at_once FUNCTION...: runs the functions at the same time, each with a tracing directory of its own, and prints what they print in
# their order.
at_once() {
  local each
  for each; do
    (
      CAIRN_TRACING_DIR+=.$each
      "$each" >"$each.txt" 2>&1
    ) &
  done
  wait
  for each; do
    echo "$each:"
    cat "$each.txt"
  done
}
