#!/bin/bash
# Runs test programs, each with a time limit, in the guest. For each its output is left in RESULTS/NAME.out, which is TAP,
# and its exit status in RESULTS/NAME.status.
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
