#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exports recordings, and compares each event and each field of the output with `cairn decode -f jsonl`. CTF is read by babeltrace2's
library; protobuf by a decoder of this file, with the numbers of the public definitions.

usage: export.py BUILD
"""
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, for another Python of the same version
try:
    import bt2
except ImportError:
    bt2 = None


def cairn(build, *arguments, status=0):
    done = subprocess.run([build / "cairn", *arguments], stdin=subprocess.DEVNULL, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode not in (status, 1):  # 1: some events of the golden program are damaged on purpose
        sys.exit(f"{arguments}: {done.returncode}: {done.stderr.decode()}")
    return done.stdout


class Members(dict):
    """An object whose members may have equal names: `pairs` has all."""

    def __init__(self, pairs):
        super().__init__(pairs)
        self.pairs = pairs


def events_of(build, recording):
    return [json.loads(line, object_pairs_hook=Members) for line in cairn(build, "decode", "-f", "jsonl", recording).splitlines()]


def full_name(event):
    return f"{event['provider']}:{event['event']}" if "provider" in event else event["event"]


def fail(what, event, wanted, found):
    sys.exit(f"{what}: {full_name(event)}: wanted {wanted!r}, found {found!r}\n{event}")


def as_text(value):
    """A value in a format that has text for it, and no NUL."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    return "" if value is None else json.dumps(value)


# ---- CTF ----

def ctf_value(field):
    """A field of babeltrace2 as Python's own values; of a struct, without the lengths of arrays."""
    if isinstance(field, bt2._StructureFieldConst):
        return {name: ctf_value(value) for name, value in field.items() if not name.endswith("_length")}
    if isinstance(field, bt2._ArrayFieldConst):
        return [ctf_value(value) for value in field]
    if isinstance(field, bt2._IntegerFieldConst):
        return int(field)
    if isinstance(field, bt2._RealFieldConst):
        return float(field)
    return str(field)


def same_number(wanted, found):
    if isinstance(wanted, bool):
        return int(wanted) == found
    if wanted is None:
        return found in (None, "")
    if isinstance(wanted, str):  # hexadecimal, or a number that JSON lacks
        if wanted.lower().startswith("0x"):
            return int(wanted, 16) == found
        return wanted.lstrip("-") in ("inf", "nan") and repr(found).lstrip("-") in ("inf", "nan")
    return wanted == found or (isinstance(found, float) and math.isclose(wanted, found, rel_tol=1e-6))


def same_in_ctf(wanted, found):
    """Names may have been changed: members are compared in their order."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return len(wanted.pairs) == len(found) and all(same_in_ctf(pair[1], value)
                                                       for pair, value in zip(wanted.pairs, found.values()))
    if isinstance(wanted, list):
        return isinstance(found, list) and len(wanted) == len(found) and all(map(same_in_ctf, wanted, found))
    if isinstance(wanted, str) and isinstance(found, dict):  # bytes in an array
        found = found["data"]
    if isinstance(wanted, str) and isinstance(found, list):  # bytes
        return wanted == " ".join(f"{byte:02x}" for byte in found)
    if isinstance(found, str):
        return as_text(wanted) == found
    return same_number(wanted, found)


def compare_ctf(build, work, name, recording, events):
    out = work / f"{name}.ctf"
    cairn(build, "export", "-f", "ctf", "-o", out, recording)
    messages = [message for message in bt2.TraceCollectionMessageIterator(str(out))
                if isinstance(message, bt2._EventMessageConst)]
    if len(messages) != len(events):
        sys.exit(f"{name}: CTF: {len(events)} events wanted, {len(messages)} found")
    for wanted, message in zip(events, messages):
        found = message.event
        if wanted["time_ns"] != message.default_clock_snapshot.ns_from_origin:
            fail("CTF time", wanted, wanted["time_ns"], message.default_clock_snapshot.ns_from_origin)
        common = ctf_value(found.common_context_field)
        if (wanted["cpu"], wanted["pid"], wanted["tid"]) != (common["cpu_id"], common["vpid"], common["vtid"]):
            fail("CTF context", wanted, wanted, common)
        if "error" in wanted:
            if found.name != "cairn:damaged":
                fail("CTF", wanted, "cairn:damaged", found.name)
            continue
        if full_name(wanted) != found.name:
            fail("CTF name", wanted, full_name(wanted), found.name)
        if wanted.get("activity", "") != str(found.specific_context_field["activity"] if "keyword" in wanted else ""):
            fail("CTF activity", wanted, wanted.get("activity"), found.specific_context_field)
        fields = ctf_value(found.payload_field)
        if not same_in_ctf(wanted["fields"], fields):
            fail("CTF fields", wanted, wanted["fields"], fields)
    return len(messages)


# ---- protobuf ----

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at += 1
        shift += 7
        if data[at - 1] < 128:
            return value, at


def message(data):
    """{field number: [values]}: numbers, or bytes."""
    found = {}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = {1: (8, at), 5: (4, at)}.get(tag & 7) or varint(data, at)
            value = data[at:at + size]
            at += size
        found.setdefault(tag >> 3, []).append(value)
    assert at == len(data)
    return found


def signed(number):
    return number - (1 << 64) if number >> 63 else number


class Perfetto:
    """The track events of a trace, with their names resolved."""

    def __init__(self, data):
        self.names = {}  # (which kind, iid): text
        self.tracks = {}
        self.events = []  # (time, type, track, category, name, annotations, flows)
        self.depth = {}
        self.sched = []
        for packet in map(message, message(data)[1]):
            self.take(packet)

    def take(self, packet):
        for interned in map(message, packet.get(12, [])):
            for kind in (1, 2, 3):
                for one in map(message, interned.get(kind, [])):
                    assert (kind, one[1][0]) not in self.names
                    self.names[kind, one[1][0]] = one[2][0].decode()
        for track in map(message, packet.get(60, [])):
            self.tracks[track[1][0]] = track
        self.sched += map(message, packet.get(1, []))
        for event in map(message, packet.get(11, [])):
            self.take_event(packet, event)

    def take_event(self, packet, event):
        track, kind = event[11][0], event[9][0]
        assert track in self.tracks and packet[10] == [1]
        self.depth[track] = self.depth.get(track, 0) + {1: 1, 2: -1}.get(kind, 0)
        assert self.depth[track] >= 0
        annotations = self.members(event.get(4, []))
        name = event.get(10, [0])[0]
        self.events.append((packet[8][0], kind, track, self.names.get((1, name)), self.names.get((2, name)), annotations,
                            event.get(47, [])))

    def members(self, annotations):
        return Members([(self.names[3, one[1][0]], self.value(one)) for one in map(message, annotations)])

    def value(self, one):
        if 11 in one:
            return self.members(one[11])
        if 12 in one:
            return [self.value(inner) for inner in map(message, one[12])]
        if 5 in one:
            return struct.unpack("<d", one[5][0])[0]
        if 6 in one:
            return one[6][0].decode()
        if 2 in one:
            return bool(one[2][0])
        if 4 in one:
            return signed(one[4][0])
        return one[3][0] if 3 in one else one[7][0] if 7 in one else None


def same_in_perfetto(wanted, found):
    if wanted in ({}, []):  # an annotation without values
        return found is None or not getattr(found, "pairs", found)
    if isinstance(wanted, dict):
        return len(wanted.pairs) == len(found.pairs) and all(
            one[0] == other[0] and same_in_perfetto(one[1], other[1]) for one, other in zip(wanted.pairs, found.pairs))
    if isinstance(wanted, list):
        return len(wanted) == len(found) and all(map(same_in_perfetto, wanted, found))
    if isinstance(found, str):
        return as_text(wanted) == found
    return same_number(wanted, found)


def compare_perfetto(build, work, name, recording, events):
    out = work / f"{name}.pftrace"
    cairn(build, "export", "-f", "perfetto", "-o", out, recording)
    trace = Perfetto(out.read_bytes())
    if len(trace.events) != len(events):
        sys.exit(f"{name}: Perfetto: {len(events)} events wanted, {len(trace.events)} found")
    for wanted, (_, kind, track, category, event, found, _) in zip(events, trace.events):
        if (wanted.get("provider", ""), wanted["event"]) != (category, event):
            fail("Perfetto name", wanted, wanted["event"], (category, event))
        own = found.pairs.pop()[1]
        if wanted["cpu"] != own["cpu"] or wanted.get("activity") != own.get("activity") or \
                wanted.get("level", "None") != str(own.get("level")):
            fail("Perfetto header", wanted, wanted, own)
        if "error" in wanted:
            if own["error"] != wanted["error"]:
                fail("Perfetto error", wanted, wanted["error"], own)
        elif not same_in_perfetto(wanted["fields"], found):
            fail("Perfetto args", wanted, wanted["fields"], found)
        if kind == 3:
            thread = message(trace.tracks[track][4][0])
            if (thread[1], thread[2]) != ([wanted["pid"]], [wanted["tid"]]):
                fail("Perfetto thread", wanted, wanted["tid"], thread)
    return trace


def check_spans(trace):
    """`work spans`: ids 0 to 2 begin, 1 to 3 end: two slices end, one does not, one end is alone."""
    kinds = [event[1] for event in trace.events]
    assert kinds == [1, 1, 1, 2, 2, 3], kinds
    begun = [event[2] for event in trace.events[:3]]
    assert len(set(begun)) == 3 and [event[2] for event in trace.events[3:5]] == begun[1:], "each in a lane of its own"


def check(build, work, name, *program):
    recording = work / f"{name}.cairn"
    cairn(build, "record", "-q", "-o", recording, "--", *program)
    events = events_of(build, recording)
    assert events
    done = ["perfetto"]
    if bt2:
        compare_ctf(build, work, name, recording, events)
        done.append("ctf")
    trace = compare_perfetto(build, work, name, recording, events)
    print(f"{name}: {len(events)} events: {', '.join(done)}")
    return trace


def main(build):
    build = pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        os.environ["CAIRN_TRACING_DIR"] = str(work / "tracing")
        (work / "tracing").mkdir(mode=0o700)
        check(build, work, "work", build / "tests/cli/work", "50")
        check_spans(check(build, work, "spans", build / "tests/cli/work", "spans"))
        golden = build / "tests/golden/golden_write_macros"
        if golden.exists():
            check(build, work, "golden", golden)


if __name__ == "__main__":
    main(sys.argv[1])
