#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Converts recordings to trace files and back. A trace file is read by trace_format.py, a reader of its own, and must have
the same events as the recording, byte for byte; so must the recording that is made of it.

usage: convert.py BUILD
"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

from trace_format import TraceFile

SAMPLE = 9
HEAD_BYTES = 44  # of a sample, before the raw bytes


def cairn(build, *arguments, **options):
    return subprocess.run([build / "cairn", *arguments], check=True, stdin=subprocess.DEVNULL, **options)


def samples(path):
    """(time, cpu, pid, tid, raw) of each sample of a perf.data that cairn wrote, in the order of time."""
    data = path.read_bytes()
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    found = []
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind == SAMPLE:
            _, pid, tid, time, cpu, _, raw_bytes = struct.unpack_from("<QIIQIII", data, at + 8)
            found.append((time, cpu, pid, tid, data[at + HEAD_BYTES:at + HEAD_BYTES + raw_bytes]))
        at += size
        if kind == 66:  # tracing data: its bytes follow the record
            at += struct.unpack_from("<I", data, at - 4)[0]
    return sorted(found, key=lambda sample: sample[0])


def in_trace(path):
    trace = TraceFile(path.read_bytes())
    trace.check_index()
    return [(time, cpu, pid, tid, raw) for time, cpu, pid, tid, _, raw in trace.events()]


def text(build, path):
    """The lines of all events, and the status: some golden events are damaged on purpose."""
    done = subprocess.run([build / "cairn", "decode", "-f", "jsonl", path], stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.splitlines() + [done.returncode]


def compare(what, wanted, found):
    if wanted != found:
        different = [n for n, pair in enumerate(zip(wanted, found)) if pair[0] != pair[1]]
        sys.exit(f"{what}: {len(wanted)} events wanted, {len(found)} found; different: {different[:5]}")


def check(build, work, name, *program):
    recording = work / f"{name}.perf.data"
    trace = work / f"{name}.cairn"
    back = work / f"{name}.back.perf.data"
    cairn(build, "record", "-q", "-o", recording, "--", *program, stdout=subprocess.DEVNULL)
    wanted = samples(recording)
    cairn(build, "convert", recording, trace)
    compare(f"{name}: trace file", wanted, in_trace(trace))
    cairn(build, "convert", trace, back)
    compare(f"{name}: and back", wanted, samples(back))
    compare(f"{name}: text", text(build, recording), text(build, trace))
    compare(f"{name}: text of the way back", text(build, recording), text(build, back))
    small = trace.stat().st_size
    if shutil.which("zstd"):
        cairn(build, "convert", "-z", recording, trace)
        compare(f"{name}: compressed", wanted, in_trace(trace))
    print(f"{name}: {len(wanted)} events, {recording.stat().st_size} bytes, as a trace file {small}")
    return len(wanted)


def of_threads(recorded):
    """The events of each thread in order, without what differs between two runs: times, numbers of processes, CPUs.

    perf.data fills events up with zeros, so that the next record is at a multiple of 8; a trace file does not.
    """
    threads = {}
    for _, _, pid, tid, raw in recorded:
        threads.setdefault((pid, tid), []).append(raw[8:] + bytes(-(len(raw) + 4) % 8))
    return sorted(threads.values())


def check_two_runs(build, work, name, *program):
    """A program recorded to a trace file, converted to perf.data, and recorded to perf.data directly: equal events."""
    trace, converted, direct = (work / f"{name}{end}" for end in (".direct.cairn", ".converted.data", ".direct.data"))
    cairn(build, "record", "-q", "-o", trace, "--", *program, stdout=subprocess.DEVNULL)
    cairn(build, "record", "-q", "-o", direct, "--", *program, stdout=subprocess.DEVNULL)
    cairn(build, "convert", trace, converted)
    compare(f"{name}: two runs", of_threads(samples(direct)), of_threads(samples(converted)))
    compare(f"{name}: by the page", of_threads(samples(converted)), of_threads(in_trace(trace)))


def days(build, *paths):
    """The times of day of all events, in ns, with their numbers."""
    lines = []
    for path in paths:
        lines += cairn(build, "decode", "-f", "jsonl", "--time", "epoch-ns", path, stdout=subprocess.PIPE).stdout.splitlines()
    events = [json.loads(line) for line in lines]
    return sorted((event["time_ns"], event["fields"]["number"]) for event in events)


def check_merged(build, work, *program):
    """Two recordings of the same events at the same time, with several lines of the counter, and each with its own clock."""
    inner, outer, merged, again = (work / f"{name}.cairn" for name in ("inner", "outer", "merged", "again"))
    cairn(build, "record", "-q", "-o", outer, "--", build / "cairn", "record", "-q", "-o", inner, "--", *program,
          stdout=subprocess.DEVNULL)
    wanted = days(build, inner, outer)
    cairn(build, "cat", "-o", merged, outer, inner)
    compare("merged: times of day", wanted, days(build, merged))
    cairn(build, "cat", "-z", "-o", again, merged, inner)
    compare("merged again: times of day", sorted(wanted + days(build, inner)), days(build, again))
    in_trace(merged)
    print(f"merged: {len(wanted)} events")


def main(build):
    build = pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        os.environ["CAIRN_TRACING_DIR"] = str(work / "tracing")
        (work / "tracing").mkdir(mode=0o700)
        assert check(build, work, "plain", build / "tests/cli/emit", "convert_one", "1000") == 1000
        check_two_runs(build, work, "plain", build / "tests/cli/emit", "convert_one", "1000")
        check_two_runs(build, work, "large", build / "tests/cli/emit", "convert_two", "100000")
        # Several rounds, and several lines of the counter: the times of the index are those of the events.
        slow = f"for n in 1 2 3 4 5; do {build}/tests/cli/emit convert_slow 10; sleep 0.5; done"
        check_two_runs(build, work, "slow", "sh", "-c", slow)
        check_merged(build, work, "sh", "-c", slow)
        golden = build / "tests/golden/golden_write_macros"
        if golden.exists():
            assert check(build, work, "golden", golden) > 200
            check_two_runs(build, work, "golden", golden)


if __name__ == "__main__":
    main(sys.argv[1])
