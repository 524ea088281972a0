#!/usr/bin/env python3
"""The events of both.c, built for Linux and for Windows: a recording of the one, and an ETL file of what the other passes to ETW, are
decoded to the same lines.

usage: both.py WINE PROGRAM BUILD      BUILD: the build directory for Linux, next to that for Windows; skipped if it has no program
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "etl"))
import etl  # noqa: E402

SKIP = 77
EVENTS = 60
OF_THE_WRITER = ("time", "time_ns", "wall", "cpu", "pid", "tid", "comm", "process")


def record_of(number, line):
    """A record of a session's buffer from a line of etw_capture.c."""
    descriptor, activity, related, traits, metadata, data = map(bytes.fromhex, line.split(","))
    return etl.event_record(1000 * number, descriptor, metadata, data, activity, related, traits)


def decode(cairn, path):
    result = subprocess.run([cairn, "decode", "-f", "jsonl", str(path)], stdout=subprocess.PIPE, text=True, check=True)
    lines = map(json.loads, result.stdout.splitlines())
    return [{name: value for name, value in line.items() if name not in OF_THE_WRITER} for line in lines]


def recorded(cairn, program, directory):
    environment = dict(os.environ, CAIRN_TRACING_DIR=str(directory / "tracing"), CAIRN_BACKEND="local")
    path = directory / "linux.cairn"
    subprocess.run([cairn, "record", "-e", "Both_*", "-o", str(path), "--", program], env=environment, stderr=subprocess.DEVNULL, check=True)
    return decode(cairn, path)


def captured(cairn, wine, program, directory):
    run = subprocess.run([wine, program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                         env=dict(os.environ, WINEDEBUG="-all"), check=False)
    lines = run.stdout.split()
    if not lines:
        return None
    assert run.returncode == 0, f"the program for Windows ends with {run.returncode}"
    path = directory / "windows.etl"
    path.write_bytes(etl.etl([[record_of(number, line) for number, line in enumerate(lines)]]))
    return decode(cairn, path)


def main(wine, program, build):
    cairn, here = f"{build}/cairn", f"{build}/tests/etl/both"
    if not (os.path.exists(cairn) and os.path.exists(here)):
        print(f"no {here}: build for Linux first")
        return SKIP
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        windows = captured(cairn, wine, program, directory)
        if windows is None:
            print(f"{wine} does not run programs here")
            return SKIP
        linux = recorded(cairn, here, directory)
    different = [pair for pair in zip(linux, windows) if pair[0] != pair[1]]
    for pair in different:
        print("\n".join(map(json.dumps, pair)))
    print(f"{len(linux)} events on Linux, {len(windows)} on Windows, {len(different)} differ")
    return not (len(linux) == len(windows) == EVENTS and not different)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
