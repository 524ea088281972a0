#!/bin/bash
# Runs test programs in the guest, each with a time limit. Writes the output of each to RESULTS/NAME.out, in TAP format, and
# its exit status to RESULTS/NAME.status.
# usage: guest.sh RESULTS PROGRAM...
results=$1
shift
export CMOCKA_MESSAGE_OUTPUT=TAP
for program in "$@"; do
  name=${program##*/}
  echo "running $name"
  timeout 600 "$program" >"$results/$name.out" 2>&1
  echo $? >"$results/$name.status"
done
