#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The time of day is set while a recorder records. Spans, states of threads and what ran on CPUs last as long as without that.

usage: check_clocks.py CAIRN MAKE_RECORDING
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from trace_format import TraceFile, crc32c  # noqa: E402

REQUESTS = 300
HOUR = 3600 * 10**9
CLOCKS, INDEX, END = 2, 12, 13
failures = []


def expect(right, what):
    print("ok  " if right else "FAIL", what)
    if not right:
        failures.append(what)


def block(kind, sequence, contents):
    head = struct.pack("<4sHHIIIII", b"CBLK", kind, 0, len(contents), len(contents), crc32c(contents), sequence, 0)
    return head + struct.pack("<I", crc32c(head)) + contents + bytes(-len(contents) % 8)


def pair(time_ns, wall_ns):
    """A pair of clocks: the counter is the clock itself."""
    return struct.pack("<IIIiQQQQQ", 56, 0, 0, 1, time_ns, time_ns, wall_ns, 1, 0)


def step(recording, output, at_wall_ns, by_ns):
    """Writes the recording with another clock: the time of day is set once. The file has no index."""
    trace = TraceFile(recording)
    _, _, _, _, time_ns, wall_ns, _, _ = trace.clocks[0]
    at_ns = at_wall_ns - wall_ns + time_ns
    blocks = [(CLOCKS, pair(time_ns, wall_ns) + pair(at_ns, at_wall_ns + by_ns))]
    blocks += [(kind, contents) for kind, _, contents in trace.blocks if kind not in (CLOCKS, INDEX, END)]
    output.write_bytes(recording[:16] + b"".join(block(kind, n, contents) for n, (kind, contents) in enumerate(blocks)))


def run(*command):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, stdin=subprocess.DEVNULL)


def query(cairn, recording, sql):
    done = run(cairn, "query", "-f", "jsonl", recording, sql)
    return [list(json.loads(line).values()) for line in done.stdout.splitlines()]


def report_durations(cairn, recording):
    output = recording.with_suffix(".html")
    run(cairn, "report", "-o", output, recording)
    index = json.loads(re.search('id="cairn-index">(.*?)</script>', output.read_text(), re.DOTALL)[1])
    return [kind.get("durations") for kind in index["kinds"]], index["spans"], index["spans_open"]


def otlp_durations(cairn, recording):
    spans = []

    def collect(value):
        if isinstance(value, dict) and "endTimeUnixNano" in value:
            spans.append(int(value["endTimeUnixNano"]) - int(value["startTimeUnixNano"]))
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            collect(part)
    for line in run(cairn, "export", "-f", "otlp_json", "-o", "-", recording).stdout.splitlines():
        collect(json.loads(line))
    return spans


def facts(cairn, recording):
    """All that has a duration, by the table or the program that has it."""
    yield "spans", query(cairn, recording, "SELECT id, duration_ns, self_ns, stop_ns - start_ns FROM spans ORDER BY id")
    yield "activities", query(cairn, recording, "SELECT count(*), count(stop_ns) FROM activities")
    yield "thread_state", query(cairn, recording, "SELECT tid, state, sum(duration_ns), max(stop_ns - start_ns), count(*) "
                                "FROM thread_state GROUP BY tid, state ORDER BY 1, 2")
    yield "sched", query(cairn, recording, "SELECT cpu, tid, sum(duration_ns), max(stop_ns - start_ns), count(*) "
                         "FROM sched GROUP BY cpu, tid ORDER BY 1, 2")
    yield "report", report_durations(cairn, recording)
    yield "stats", run(cairn, "stats", "--durations", recording).stdout
    yield "folded", run(cairn, "export", "-f", "folded", "-o", "-", recording).stdout
    yield "otlp_json", otlp_durations(cairn, recording)


def main(cairn, make_recording):
    with tempfile.TemporaryDirectory(prefix="cairn-clocks-") as directory:
        directory = pathlib.Path(directory)
        recording = directory / "t.cairn"
        run(make_recording, REQUESTS, directory / "t.data")
        run(cairn, "convert", directory / "t.data", recording)
        (first, last), = query(cairn, recording, "SELECT min(start_ns), max(stop_ns) FROM spans")
        (middle,), = query(cairn, recording, f"SELECT (start_ns + stop_ns) / 2 FROM spans WHERE start_ns > {(first + last) // 2} LIMIT 1")
        files = {by: directory / f"{name}.cairn" for name, by in (("same", 0), ("forward", HOUR), ("backward", -HOUR))}
        for by, path in files.items():
            step(recording.read_bytes(), path, middle, by)
        wanted = dict(facts(cairn, files[0]))
        expect(all(wanted.values()) and len(wanted["spans"]) == REQUESTS == len(wanted["otlp_json"]), "there are durations")
        for by in HOUR, -HOUR:
            times = "SELECT max(time_ns) - min(time_ns) FROM events"
            (same,), (other,) = query(cairn, files[0], times) + query(cairn, files[by], times)
            expect(other > HOUR // 2 > same, f"{files[by].stem}: the time of day is set")
            for name, found in facts(cairn, files[by]):
                expect(found == wanted[name], f"{files[by].stem}: {name}")
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
