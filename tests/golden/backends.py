#!/usr/bin/env python3
"""The golden events through both backends: those that perf records from the kernel are the same as those that cairn records from
the local engine. `cairn register` registers the tracepoints before the program runs.

usage: backends.py macros|builder CAIRN WRITER DIRECTORY
"""
import errno
import os
import re
import subprocess
import sys

import events

KERNEL_PAYLOAD_MAX = 8184


def expected_result(event, backend):
    too_large = event.payload is None or (backend == "kernel" and len(event.payload) > KERNEL_PAYLOAD_MAX)
    return errno.E2BIG if too_large else 0


def recorder(backend, cairn, tracepoints, output):
    if backend == "local":
        return [cairn, "record", "-q", "-e", "Golden_*", "-o", output, "--"]
    named = [word for name in tracepoints for word in ("-e", f"user_events:{name}")]
    return ["perf", "record", "-q", "-k", "CLOCK_MONOTONIC", *named, "-o", output, "--"]


def record(backend, cairn, writer, golden, output):
    """Records the events. Returns the result of each, as the program that wrote it prints it."""
    tracepoints = sorted({event.tracepoint for event in golden})
    providers = []
    for name in tracepoints:
        provider, level, keyword = re.fullmatch(r"(\w+)_L([0-9a-f]+)K([0-9a-f]+)", name).groups()
        providers += ["--provider", provider, f"0x{level}", f"0x{keyword}"]
    command = [cairn, "register", "-q", "--backend", backend, *providers, "--",
               *recorder(backend, cairn, tracepoints, output), writer]
    found = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                           env={**os.environ, "CAIRN_BACKEND": backend})
    return [int(line) for line in found.stdout.split()]


def decoded(cairn, recording):
    """The decoded events without times and ids of processes, which differ. The rest must be equal, and in the same order, also for
    raw definitions whose data does not match them, which cairn reports."""
    done = subprocess.run([cairn, "decode", "-f", "json", recording], stdout=subprocess.PIPE, check=False)
    lines = [line for line in done.stdout.decode().splitlines() if '"n":' in line]
    return [re.sub(r',"meta":.*?"level"', ',"level"', line).rstrip(" ],") for line in lines]  # the last line ends differently


def around(line, at):
    return line[max(at - 100, 0):at + 100]


def main(how, cairn, writer, directory):
    golden = list({"macros": events.all_events, "builder": events.built_events}[how]())
    bad = 0
    found = {}
    for backend in ("kernel", "local"):
        output = f"{directory}/{how}.{backend}.data"
        results = record(backend, cairn, writer, golden, output)
        wanted = [expected_result(event, backend) for event in golden]
        for event, result, want in zip(golden, results, wanted):
            if result != want:
                bad += 1
                print(f"{backend}: {event.name} returned {result} instead of {want}")
        bad += len(results) != len(wanted)
        found[backend] = decoded(cairn, output)
        bad += len(found[backend]) != wanted.count(0)
        print(f"{backend}: {wanted.count(0)} events of {len(golden)} are accepted, {len(found[backend])} found")
    local = iter(found["local"])
    recorded = (event for event in golden if expected_result(event, "local") == 0)
    both = [line for event, line in zip(recorded, local) if expected_result(event, "kernel") == 0]
    for kernel_line, local_line in zip(found["kernel"], both):
        if kernel_line != local_line:
            bad += 1
            at = len(os.path.commonprefix([kernel_line, local_line]))
            print(f"at {at} of {len(local_line)}:\nkernel {around(kernel_line, at)}\nlocal  {around(local_line, at)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
