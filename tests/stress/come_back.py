#!/usr/bin/env python3
"""A program that registers events, is killed and started again many times leaves nothing.

usage: come_back.py CAIRN TIMES COMMAND...

An eighth of TIMES is enough unless everything is tried (tests/extent.py). COMMAND prints a line when it has started. It is killed at any moment, before and after that, with a recorder and without one.
Then the tracing directory must have the same contents as after the first time, and no event.
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from extent import size  # noqa: E402

cairn, times, *command = sys.argv[1], size(int(sys.argv[2]), int(sys.argv[2]) // 8), *sys.argv[3:]


def status():
    """Returns the text of the status page; printing it removes what dead processes left."""
    return subprocess.run([cairn, "status"], capture_output=True, text=True, check=True).stdout


def live_and_die(delay):
    """delay: seconds until the program is killed, or None: when it has started."""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        if delay is None:
            if program.stdout.read(1) != b"\n":
                sys.exit(f"{command[-1]} did not start")
        else:
            time.sleep(delay)
        program.send_signal(signal.SIGKILL)


def recorder(directory):
    sessions = pathlib.Path(directory, "tracing", "sessions")
    before = set(sessions.glob("*"))
    program = subprocess.Popen([cairn, "record", "-q", "-e", "mortal_*", "-o", os.path.join(directory, "data")])
    while not set(sessions.glob("*")) - before:
        time.sleep(0.001)
    return program


def stop(program):
    program.send_signal(signal.SIGINT)
    if program.wait():
        sys.exit("the recorder failed")


def holdings(tracing):
    """Returns every file with its size in memory."""
    return {str(p.relative_to(tracing)): p.stat().st_blocks * 512 for p in tracing.rglob("*") if p.is_file()}


def highest_index():
    """Returns the format texts of a living program's events: they must be the same at the begin and the end."""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        program.stdout.read(1)
        indexes = [int(line.split(":")[0]) for line in status().splitlines() if ":mortal_" in line]
        program.send_signal(signal.SIGKILL)
    if len(indexes) != 3:
        sys.exit(f"{len(indexes)} of 3 events are in the status text")
    return max(indexes)


def check_empty():
    """The server of a mount hears of its program's end a moment after it."""
    end = time.monotonic() + 60
    while "Active: 0\nBusy: 0\n" not in (text := status()):
        if time.monotonic() > end:
            sys.exit("events are left:\n" + text)
        time.sleep(0.01)


def remains(tracing):
    """Returns the files without a session: that of a mount ends with its server, a moment after the program."""
    end = time.monotonic() + 60
    found = holdings(tracing)
    while any(name.startswith("sessions/") for name in found):
        if time.monotonic() > end:
            sys.exit(f"sessions are left: {sorted(found)}")
        time.sleep(0.01)
        status()
        found = holdings(tracing)
    return found


def main():
    with tempfile.TemporaryDirectory(prefix="cairn-come-back-") as directory:
        tracing = pathlib.Path(directory, "tracing")
        os.environ.update(CAIRN_TRACING_DIR=str(tracing), CAIRN_BACKEND="local",
                          ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
        check_empty()
        program = recorder(directory)
        index = highest_index()
        live_and_die(None)
        stop(program)
        check_empty()
        before = remains(tracing)

        program = None
        for i in range(times):
            if i % (times // 2) == times // 4:
                program = recorder(directory)
            live_and_die(None if i % 2 else random.uniform(0, 0.006))
            if program and i % (times // 2) == times // 2 - 1:
                stop(program)
                program = None
        if program:
            stop(program)
        check_empty()
        if highest_index() != index:
            sys.exit(f"indexes are not reused: {index} is another one now")
        check_empty()
        after = remains(tracing)
        if set(after) != set(before):
            sys.exit(f"files are left: {sorted(set(after) ^ set(before))}")
        grown = {name: after[name] - before[name] for name in after if after[name] > before[name]}
        if sum(grown.values()) > 64 << 10:
            sys.exit(f"files have grown: {grown}")
        print(f"killed {times} times: no event, index or file is left; grown: {grown or 'nothing'}")


main()
