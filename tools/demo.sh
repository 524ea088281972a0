#!/bin/bash
# Demonstrates cairn in a minute: records examples/treewalk walking /usr/share, decodes the recording, counts its events.
# usage: tools/demo.sh BUILD
set -euo pipefail

build=$1 out=$1/demo dir=${CAIRN_DEMO_DIR:-/usr/share}
trace=$out/trace.cairn json=$out/trace.json page=$out/report.html
mkdir -p "$out"
rm -f "$trace" "$json" "$page"

echo "==> cairn record -e 'Cairn_Treewalk_*' -o $trace -- $build/examples/treewalk $dir"
"$build/cairn" record -e 'Cairn_Treewalk_*' -o "$trace" -- "$build/examples/treewalk" "$dir" 2>"$out/record.log" || {
  status=$?
  cat "$out/record.log" >&2
  exit "$status"
}
sed 's/^/    /' "$out/record.log"

echo "==> cairn decode -f json -o $json $trace"
"$build/cairn" decode -f json -o "$json" "$trace"

echo "==> cairn report -o $page $trace"
"$build/cairn" report -q -o "$page" "$trace"

echo
echo "Events by name"
grep -o '^ *{ *"n": *"[^"]*"' "$json" | sed 's/.*"n": *"//; s/"$//' | sort | uniq -c | sort -rn | sed 's/^/  /'

echo
echo "The first events"
"$build/cairn" decode -f text "$trace" 2>/dev/null | head -n 6 | cut -c 1-150 || true

cat <<END

Files
  $trace   the recording
  $json    every event as JSON
  $page   a timeline, in a browser

Next
  $build/cairn record -- ./your-program      record your own (examples/treewalk.c shows how)
  $build/cairn decode -f text $trace | less
  $build/cairn convert -f perf $trace - | perf script -i -
  $build/cairn doctor                        check this machine
END
