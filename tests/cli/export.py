#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exports recordings, and compares each event and each field of the output with `cairn decode -f jsonl`. CTF is read by
babeltrace2's library, trace.dat by trace-cmd, where they are installed; protobuf by a decoder of this file, with the numbers of
the public definitions.

usage: export.py BUILD                                    programs of the tests, and a recording with the scheduler's events
       export.py BUILD [--some N] --recording FILE...     any recordings. --some: the values of N events that are drawn at random,
                                                          and the number of all
"""
import argparse
import base64
import bisect
import collections
import contextlib
import csv
import json
import math
import os
import pathlib
import random
import re
import shutil
import sqlite3
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


def has_sqlite(build):
    return b"built without" not in subprocess.run([build / "cairn", "export", "-f", "sqlite", "-o", "-", "-"], check=False,
                                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE).stderr


def events_of(build, recording):
    """Events, with the time of the recording's clock as `clock_ns`."""
    lines = cairn(build, "decode", "-f", "jsonl", "--time", "mono", recording).splitlines()
    events = [json.loads(line, object_pairs_hook=Members) for line in lines]
    for event in events:
        event["clock_ns"] = int(event["clock"].replace(".", ""))
    return events


class Draw:
    """The numbers of the events that are compared; all of them if `some` is None."""
    some = None

    @classmethod
    def of(cls, items):
        chosen = range(len(items))
        if cls.some is not None and cls.some < len(items):
            chosen = sorted(random.sample(chosen, cls.some))
        return [items[n] for n in chosen]


def paired(what, wanted, found):
    """Pairs of what is wanted and found, which must be as many."""
    if len(wanted) != len(found):
        sys.exit(f"{what}: {len(wanted)} events wanted, {len(found)} found")
    return Draw.of(list(zip(wanted, found)))


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
    for wanted, message in paired(f"{name}: CTF", events, messages):
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


def ctf2_value(data, at, field, scope):
    """A value at a position, by its class in the metadata; and the position after it."""
    kind = field["type"]
    if kind == "structure":
        members = {}
        for member in field["member-classes"]:
            members[member["name"]], at = ctf2_value(data, at, member["field-class"], members)
        return members, at
    if kind == "null-terminated-string":
        end = data.index(b"\0", at)
        return data[at:end].decode(), end + 1
    if kind == "dynamic-length-array":
        values = []
        for _ in range(scope[field["length-field-location"]["path"][0]]):
            value, at = ctf2_value(data, at, field["element-field-class"], scope)
            values.append(value)
        return values, at
    end = at + field["length"] // 8
    order = field["byte-order"].split("-")[0]
    if kind == "fixed-length-floating-point-number":
        return struct.unpack(("<" if order == "little" else ">") + ("f" if end - at == 4 else "d"), data[at:end])[0], end
    return int.from_bytes(data[at:end], order, signed=kind == "fixed-length-signed-integer"), end


def ctf2_events(directory, file="stream"):
    """The events of the packets: time, name, context, fields."""
    parts = [json.loads(part) for part in (directory / "metadata").read_bytes().split(b"\x1e")[1:]]
    assert parts[0] == {"type": "preamble", "version": 2}
    number = ["stream", "stacks"].index(file)
    trace, = (part for part in parts if part["type"] == "trace-class")
    stream, = (part for part in parts if part["type"] == "data-stream-class" and part["id"] == number)
    classes = {part["id"]: part for part in parts if part["type"] == "event-record-class" and part["data-stream-class-id"] == number}
    data = (directory / file).read_bytes()
    at = 0
    while at < len(data):
        begin = at
        head, at = ctf2_value(data, at, trace["packet-header-field-class"], None)
        assert head["stream_id"] == number
        packet, at = ctf2_value(data, at, stream["packet-context-field-class"], None)
        while at < begin + packet["content_size"] // 8:
            head, at = ctf2_value(data, at, stream["event-record-header-field-class"], None)
            context, at = ctf2_value(data, at, stream["event-record-common-context-field-class"], None)
            one = classes[head["id"]]
            if "specific-context-field-class" in one:
                _, at = ctf2_value(data, at, one["specific-context-field-class"], None)
            fields, at = ctf2_value(data, at, one["payload-field-class"], None)
            yield head["timestamp"], one["name"], context, fields


def without_lengths(value):
    if isinstance(value, dict):
        return {name: without_lengths(one) for name, one in value.items() if not name.endswith("_length") and name != "length"}
    return [without_lengths(one) for one in value] if isinstance(value, list) else value


def compare_ctf2(build, work, name, recording, events):
    """The data are those of CTF 1.8; the metadata describe them. babeltrace2 reads CTF 2 from version 2.1 on."""
    for form in "ctf", "ctf2":
        cairn(build, "export", "-f", form, "-o", work / f"{name}.{form}-both", recording)
    directory = work / f"{name}.ctf2-both"
    assert (directory / "stream").read_bytes() == (work / f"{name}.ctf-both" / "stream").read_bytes()
    found = list(ctf2_events(directory))
    for wanted, (time_ns, full, context, fields) in paired(f"{name}: CTF 2", events, found):
        assert (time_ns, context["cpu_id"], context["vtid"]) == (wanted["time_ns"], wanted["cpu"], wanted["tid"])
        if "error" not in wanted and (full != full_name(wanted) or not same_in_ctf(wanted["fields"], without_lengths(fields))):
            fail("CTF 2", wanted, wanted["fields"], (full, fields))


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
        self.sched = []  # (CPU, event of ftrace)
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
        for bundle in map(message, packet.get(1, [])):
            self.sched += [(bundle[1][0], one) for one in map(message, bundle[2])]
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


# Events of the scheduler are events of ftrace: the number of each one's message, and the members' numbers.
SCHED_WAKE = {"comm": 1, "pid": 2, "prio": 3, "target_cpu": 5}
SCHED = {
    "sched_switch": (4, {"prev_comm": 1, "prev_pid": 2, "prev_prio": 3, "prev_state": 4,
                         "next_comm": 5, "next_pid": 6, "next_prio": 7}),
    "sched_wakeup": (17, SCHED_WAKE),
    "sched_waking": (20, SCHED_WAKE),
    "sched_wakeup_new": (114, SCHED_WAKE),
}


def is_sched(event):
    return event.get("provider") == "sched" and event["event"] in SCHED and "error" not in event


def compare_ftrace(wanted, cpu, found):
    number, members = SCHED[wanted["event"]]
    tid, = found.get(2, [-1])  # -1: the thread had ended
    if (wanted["cpu"], wanted["tid"], wanted["clock_ns"]) != (cpu, tid, found[1][0]) or number not in found:
        fail("Perfetto ftrace", wanted, wanted["clock_ns"], (cpu, found))
    found = message(found[number][0])
    for name, value in wanted["fields"].items():
        if name not in members:  # "success", which is constant
            continue
        own = found[members[name]][0]
        if (as_text(value) if isinstance(value, str) else value) != (own.decode() if isinstance(own, bytes) else signed(own)):
            fail("Perfetto ftrace", wanted, value, own)


def compare_perfetto(build, work, name, recording, events):
    out = work / f"{name}.pftrace"
    cairn(build, "export", "-f", "perfetto", "-o", out, recording)
    trace = Perfetto(out.read_bytes())
    own_events = [event for event in trace.events if event[5].pairs]  # others are parts of slices
    for wanted, (cpu, found) in paired(f"{name}: Perfetto's scheduler", list(filter(is_sched, events)), trace.sched):
        compare_ftrace(wanted, cpu, found)
    others = [event for event in events if not is_sched(event)]
    for wanted, (time_ns, kind, track, category, event, found, _) in paired(f"{name}: Perfetto", others, own_events):
        if time_ns != wanted["clock_ns"]:
            fail("Perfetto time", wanted, wanted["clock_ns"], time_ns)
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
            if (signed(thread[1][0]), signed(thread[2][0])) != (wanted["pid"], wanted["tid"]):
                fail("Perfetto thread", wanted, wanted["tid"], thread)
    return trace


# ---- Chrome, folded stacks ----

# These formats have the recording's clock, and jsonl the time of day, which is computed of it: their differences differ a little.
TIME_ERROR_NS = 2000


def numbered(pairs, reserved):
    """Fields with the names of a format's own members have a number."""
    return [(name + "_2" if name in reserved else name, value) for name, value in pairs]


def compare_chrome(build, work, name, recording, events):
    out = work / f"{name}.json"
    cairn(build, "export", "-f", "chrome", "-o", out, recording)
    document = json.loads(out.read_text(), object_pairs_hook=Members)
    found = [event for event in document["traceEvents"] if event["ph"] in "iBE" and "args" in event]
    first_ns = events[0]["time_ns"]
    for wanted, event in paired(f"{name}: Chrome", events, found):
        if (wanted.get("provider", ""), wanted["event"]) != (event["cat"], event["name"]):
            fail("Chrome name", wanted, wanted["event"], event["name"])
        args = [pair for pair in event["args"].pairs if pair[0] not in ("cairn", "cairn.error")]
        if args != numbered(wanted["fields"].pairs, ("cairn",)) or event["args"]["cairn"].get("activity") != wanted.get("activity"):
            fail("Chrome args", wanted, wanted["fields"], event["args"])
        if abs(event["ts"] * 1000 - (wanted["time_ns"] - first_ns)) > TIME_ERROR_NS or \
                (wanted["pid"] != event["pid"] and event["ph"] != "E"):  # an end is in the process of its begin
            fail("Chrome time", wanted, wanted["time_ns"] - first_ns, event["ts"])


def check_folded(build, recording):
    """The time of a stack is that of its innermost span without those in it."""
    events = {(event["event"], *event["fields"].values()): event["time_ns"] for event in events_of(build, recording)
              if event["event"] != "Inside"}
    lines = cairn(build, "export", "-f", "folded", "-o", "-", recording).decode().splitlines()
    stacks = dict(line.rsplit(" ", 1) for line in lines)
    begin = "Cli_Work:Begin"
    innermost = events["End", 3] - events["Begin", 3]
    assert int(stacks[f"work;{begin};{begin};{begin}"]) == innermost, lines
    others = sum(events["End", n] - events["Begin", n] for n in (2, 4, 5))
    assert int(stacks[f"work;{begin};{begin}"]) == others - innermost, lines


# ---- Firefox Profiler, SQLite ----

class Firefox:
    """Markers are by thread: an event is found by its thread, its time and its name; a stop by the end of its span."""

    def __init__(self, document, first_ns):
        self.first_ns = first_ns
        self.markers = collections.defaultdict(list)  # (thread, name): (time, number, data)
        self.stops = []
        self.count = 0
        for thread in document["threads"]:
            self.take(thread, thread["markers"])
        for found in (self.stops, *self.markers.values()):
            found.sort()

    def take(self, thread, columns):
        assert all(len(column) == columns["length"] for key, column in columns.items() if key != "length")
        for n, (name, start, end, phase, data) in enumerate(zip(*(columns[key] for key in ("name", "startTime", "endTime", "phase",
                                                                                          "data")))):
            self.markers[thread["tid"], thread["stringArray"][name]].append((start * 1e6, self.count + n, data))
            assert (end is not None) == (phase == 1) == ("stop" in data)
            if end is not None:
                self.stops.append((end * 1e6, self.count + n, json.loads(data["stop"], object_pairs_hook=Members)))
        self.count += columns["length"]

    def near(self, found, event):
        """The data of those at the time of an event."""
        time_ns = event["time_ns"] - self.first_ns
        begin = bisect.bisect_left(found, (time_ns - TIME_ERROR_NS,))
        end = bisect.bisect_right(found, (time_ns + TIME_ERROR_NS, math.inf))
        return [data for _, _, data in found[begin:end]]


def firefox_fields(data):
    """What a marker's data must have of an event: fields, and two of the header."""
    header = Members(json.loads("{" + data.get("cairn", "") + "}"))
    return ([pair for pair in data.pairs if pair[0] not in ("type", "cairn", "cairn.error", "stop")], header.get("cpu"),
            header.get("activity"))


def compare_firefox(build, work, name, recording, events):
    out = work / f"{name}.profile.json"
    cairn(build, "export", "-f", "firefox", "-o", out, recording)
    trace = Firefox(json.loads(out.read_text(), object_pairs_hook=Members), events[0]["time_ns"] - 1)
    if trace.count + len(trace.stops) != len(events):
        sys.exit(f"{name}: Firefox: {len(events)} events wanted, {trace.count} markers and {len(trace.stops)} stops found")
    for wanted in Draw.of(events):
        found = trace.near(trace.markers[wanted["tid"], full_name(wanted)], wanted)
        if wanted.get("opcode") == "activity_stop":
            found = found + trace.near(trace.stops, wanted)
        fields = numbered(wanted["fields"].pairs, ("type", "cause", "cairn", "stop"))
        if (fields, wanted["cpu"], wanted.get("activity")) not in map(firefox_fields, found):
            fail("Firefox", wanted, wanted["fields"], found)


def compare_sqlite(build, work, name, recording, events):
    out = work / f"{name}.db"
    cairn(build, "export", "-f", "sqlite", "-o", out, recording)
    with contextlib.closing(sqlite3.connect(out)) as database:
        assert list(database.execute("PRAGMA integrity_check")) == [("ok",)]
        rows = list(database.execute("SELECT time_ns, cpu, pid, tid, provider, event, level, keyword, activity, fields, error "
                                     "FROM events ORDER BY id"))
        views = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'view'")}
        for view in views:
            list(database.execute('SELECT * FROM "' + view.replace('"', '""') + '"'))
    lower_views = {view.lower() for view in views}
    for wanted, row in paired(f"{name}: SQLite", events, rows):
        if [wanted.get(key, "") for key in ("time_ns", "cpu", "pid", "tid", "provider", "event")] != list(row[:6]):
            fail("SQLite", wanted, wanted, row)
        if [wanted.get(key) for key in ("level", "keyword", "activity")] != [row[6] and str(row[6]), *row[7:9]]:
            fail("SQLite header", wanted, wanted, row)
        if wanted["fields"].pairs != json.loads(row[9], object_pairs_hook=Members).pairs or wanted.get("error") != row[10]:
            fail("SQLite fields", wanted, wanted["fields"], row[9])
        assert full_name(wanted).replace("\0", "\ufffd").lower() in lower_views


# ---- trace.dat ----

LINE = re.compile(r"\s*(?P<comm>.*)-(?P<tid>-?\d+)\s+\[(?P<cpu>\d+)\]\s+(?P<s>\d+)\.(?P<ns>\d{9}): (?P<name>\S+):\s*(?P<values>.*)")


def texts_of(value):
    """What trace-cmd may print for a value; None: it is not looked for."""
    if isinstance(value, bool):
        return [f"={int(value)}"]
    if isinstance(value, int):
        return [f"={value}"]
    if isinstance(value, str) and value.isascii() and value.isprintable():
        is_hex = re.fullmatch("0x[0-9A-F]+", value)
        return [f"={value.lower()}", f"={int(value, 16)}"] if is_hex else [f"={value[:1000]}"]  # longer ones may be cut
    return None


def compare_trace_dat(build, work, what, recording, events):
    """Each event has a line of trace-cmd with its thread, CPU, time, name and values."""
    out = work / f"{what}.dat"
    cairn(build, "export", "-f", "trace.dat", "-o", out, recording)
    text = subprocess.run(["trace-cmd", "report", "-R", "-t", "-i", out], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True).stdout.decode()
    lines = collections.defaultdict(list)
    for found in filter(None, map(LINE.fullmatch, text.splitlines())):
        time_ns = int(found["s"]) * 1000000000 + int(found["ns"])
        lines[int(found["cpu"]), time_ns].append((found["name"], found["values"], int(found["tid"]), found["comm"]))
    count = sum(map(len, lines.values()))
    if count != len(events):
        sys.exit(f"{what}: trace.dat: {len(events)} events wanted, {count} found")
    comms = {event["tid"]: event["comm"] for event in events if "comm" in event} | {0: "<idle>"}  # the last one of each
    for wanted in Draw.of(events):
        found = lines[wanted["cpu"], wanted["clock_ns"]]
        texts = [texts_of(value) for _, value in wanted["fields"].pairs]
        name = re.sub("^(?=[0-9]|$)", "_", re.sub(r"\W", "_", wanted["event"], flags=re.ASCII)[:224])
        thread = (wanted["tid"], comms.get(wanted["tid"], "<...>"))
        if not any(line[0] == name and (line[2:] == thread or wanted["tid"] == -1) and  # a record has that of an ended thread
                   all(one is None or any(form in line[1] for form in one) for one in texts) for line in found):
            fail("trace-cmd", wanted, texts, found)


# ---- OpenTelemetry ----

class Otlp:
    """Spans and log records, with attributes as they are in JSON."""

    def __init__(self):
        self.spans = []
        self.logs = []

    def take(self, kind, body, is_json):
        found = json_items(json.loads(body, object_pairs_hook=Members)) if is_json else protobuf_items(kind, body)
        (self.spans if kind == "traces" else self.logs).extend(found)
        return len(found)


def json_value(value):
    (kind, value), = value.pairs or [(None, None)]
    if kind == "kvlistValue":
        return Members([(one["key"], json_value(one["value"])) for one in value.get("values", [])])
    if kind == "arrayValue":
        return [json_value(one) for one in value.get("values", [])]
    if kind == "bytesValue":
        return base64.b64decode(value).hex(" ")
    return int(value) if kind == "intValue" else value


def json_items(request):
    items = []
    for resource in request.get("resourceSpans", request.get("resourceLogs")):
        pid = {one["key"]: json_value(one["value"]) for one in resource["resource"]["attributes"]}.get("process.pid")
        for scope in resource.get("scopeSpans", resource.get("scopeLogs")):
            for item in scope.get("spans", scope.get("logRecords")):
                item = dict(item, provider=scope["scope"]["name"], pid=pid)
                item["attributes"] = [(one["key"], json_value(one["value"])) for one in item.get("attributes", [])]
                items.append(item)
    return items


def protobuf_value(value):
    value = message(value)
    if 6 in value:
        return Members(protobuf_attributes(message(value[6][0]).get(1, [])))
    if 5 in value:
        return [protobuf_value(one) for one in message(value[5][0]).get(1, [])]
    if 7 in value:
        return value[7][0].hex(" ")
    if 4 in value:
        return struct.unpack("<d", value[4][0])[0]
    if 3 in value:
        return signed(value[3][0])
    if 2 in value:
        return bool(value[2][0])
    return value[1][0].decode() if 1 in value else None


def protobuf_attributes(attributes):
    return [(one[1][0].decode(), protobuf_value(one[2][0])) for one in map(message, attributes)]


def protobuf_items(kind, body):
    """The numbers of traces and of logs differ in the item alone. Members are named as in JSON."""
    items = []
    for resource in map(message, message(body).get(1, [])):
        pid = dict(protobuf_attributes(message(resource[1][0]).get(1, []))).get("process.pid")
        for scope in map(message, resource[2]):
            for item in map(message, scope[2]):
                spans = kind == "traces"
                found = {"provider": message(scope[1][0])[1][0].decode(), "pid": pid,
                         "attributes": protobuf_attributes(item.get(9 if spans else 6, []))}
                for name, number in (("traceId", 1 if spans else 9), ("spanId", 2 if spans else 10), ("parentSpanId", 4)):
                    if number in item and (spans or number != 4):
                        found[name] = item[number][0].hex()
                if spans:
                    found |= {"name": item[5][0].decode(), "startTimeUnixNano": struct.unpack("<Q", item[7][0])[0],
                              "endTimeUnixNano": struct.unpack("<Q", item[8][0])[0]}
                    found["links"] = [{"traceId": link[1][0].hex(), "spanId": link[2][0].hex()}
                                      for link in map(message, item.get(13, []))]
                else:
                    found |= {"eventName": item[12][0].decode(), "timeUnixNano": struct.unpack("<Q", item[1][0])[0],
                              "severityNumber": item.get(2, [None])[0]}
                items.append(found)
    return items


IDS = {"trace_id", "span_id", "parent_span_id"}
HEADER = {"cairn.keyword": "keyword", "cairn.opcode": "opcode", "cairn.activity": "activity",
          "cairn.related_activity": "related_activity", "cairn.error": "error", "cpu.logical_number": "cpu", "thread.id": "tid",
          "thread.name": "comm"}
SEVERITIES = {"critical_error": 21, "error": 17, "warning": 13, "information": 9, "verbose": 5}


def parts_of(attributes):
    """The attributes that are an event's fields, those that the export adds after them, and those that follow: a stop's fields."""
    names = [name for name, _ in attributes]
    begin = min(names.index(name) for name in ("cairn.keyword", "cairn.error", "cpu.logical_number") if name in names)
    end = begin
    while end < len(names) and re.match(r"cairn\.|cpu\.logical_number$|thread\.(id|name)$", names[end]):
        end += 1
    return attributes[:begin], dict(attributes[begin:end]), attributes[end:]


def compare_fields(wanted, found):
    fields = [pair for pair in wanted["fields"].pairs if not ("activity" in wanted and pair[0] in IDS)]
    if len(fields) != len(found) or not all(a[0] == b[0] and same_in_perfetto(a[1], b[1]) for a, b in zip(fields, found)):
        fail("OTLP attributes", wanted, fields, found)


def compare_item(wanted, item):
    """Returns what follows the attributes of an event."""
    fields, header, rest = parts_of(item["attributes"])
    compare_fields(wanted, fields)
    if any(str(header.get(name)) != str(wanted.get(key)) for name, key in HEADER.items()) or item["pid"] != wanted["pid"]:
        fail("OTLP header", wanted, wanted, header)
    return rest


def compare_stop(stop, start, rest):
    """A field that the start has, too, is named stop.NAME."""
    if not stop:
        return rest in ([], [("cairn.unfinished", True)])
    taken = {name for name, _ in start["fields"].pairs}
    wanted = [("stop." + name if name in taken else name, value) for name, value in stop["fields"].pairs if name not in IDS]
    return len(wanted) == len(rest) and all(a[0] == b[0] and same_in_perfetto(a[1], b[1]) for a, b in zip(wanted, rest))


def compare_records(events, logs):
    """Records of a process are in the order of time; those of several are not."""
    found = collections.defaultdict(collections.deque)
    for log in logs:
        found[log["provider"], log["eventName"], int(log["timeUnixNano"]), log["pid"]].append(log)
    chosen = set(map(id, Draw.of(events)))
    for wanted in events:
        same = found[wanted["provider"], wanted["event"], wanted["time_ns"], wanted["pid"]]
        if not same:
            fail("OTLP record", wanted, wanted["event"], None)
        log = same.popleft()
        if id(wanted) in chosen:
            compare_item(wanted, log)
            if (log.get("severityNumber") or None) != SEVERITIES.get(wanted.get("level")):
                fail("OTLP severity", wanted, wanted.get("level"), log)


def compare_otlp(events, found):
    """Events are log records, except for starts and stops, which are spans."""
    starts, stops = ({(event["activity"], event["time_ns"]): event for event in events
                      if "activity" in event and event.get("opcode") == opcode} for opcode in ("activity_start", "activity_stop"))
    rest = [event for event in events if "activity" not in event or
            event.get("opcode") not in ("activity_start", "activity_stop")]
    logs = [log for log in found.logs if ("cairn.opcode", "activity_stop") not in log["attributes"] or
            "traceId" not in log]
    if len(logs) != len(rest) or len(found.spans) != len(starts):
        sys.exit(f"OTLP: {len(rest)} records and {len(starts)} spans wanted, {len(logs)} and {len(found.spans)} found")
    compare_records(rest, logs)
    for span in Draw.of(found.spans):
        activity, start_ns, end_ns = (dict(span["attributes"])["cairn.activity"], int(span["startTimeUnixNano"]),
                                      int(span["endTimeUnixNano"]))
        wanted = starts[activity, start_ns]
        if wanted["event"] != span["name"]:
            fail("OTLP span", wanted, wanted["event"], span)
        rest = compare_item(wanted, span)
        if not compare_stop(stops.get((activity, end_ns)), wanted, rest):
            fail("OTLP stop", wanted, stops.get((activity, end_ns)), rest)
        keys = [key for key, _ in span["attributes"]]
        assert len(keys) == len(set(keys)) or "error" in wanted or wanted["provider"] == "Golden", keys
        assert len(span["traceId"]) == 32 and len(span["spanId"]) == 16 and end_ns >= start_ns


def otlp_in_json(build, recording):
    found = Otlp()
    for line in cairn(build, "export", "-f", "otlp_json", "-o", "-", recording).splitlines():
        found.take("traces" if line.startswith(b'{"resourceSpans"') else "logs", line, True)
    return found


def otlp_in_protobuf(build, out, recording):
    cairn(build, "export", "-f", "otlp", "-o", out, recording)
    found = Otlp()
    for kind in ("traces", "logs"):
        data = (out / f"{kind}.otlp").read_bytes()
        while data:
            size, = struct.unpack_from(">I", data)
            found.take(kind, data[4:4 + size], False)
            data = data[4 + size:]
    return found


def check_otlp_files(build, work, name, recording, events):
    found = otlp_in_json(build, recording)
    compare_otlp(events, found)
    compare_otlp(events, otlp_in_protobuf(build, work / f"{name}.otlp", recording))
    return found


def check_nested_otlp(found):
    spans = {dict(span["attributes"])["Id"]: span for span in found.spans}
    assert len({span["traceId"] for span in spans.values()} | {found.logs[0]["traceId"]}) == 1
    for inner, outer in ((2, 1), (3, 2), (4, 1), (5, 1)):
        assert spans[inner]["parentSpanId"] == spans[outer]["spanId"]
    assert "parentSpanId" not in spans[1] and found.logs[0]["spanId"] == spans[2]["spanId"]


def check_links(build, work):
    """`work linked`: the second span has a link to the first one, and there are no records."""
    recording = work / "linked.cairn"
    cairn(build, "record", "-q", "-o", recording, "--", build / "tests/cli/work", "linked")
    found = Otlp()
    for line in cairn(build, "export", "-f", "otlp_json", "-o", "-", recording).splitlines():
        found.take("traces" if line.startswith(b'{"resourceSpans"') else "logs", line, True)
    trace = bytes(range(1, 17)).hex()
    assert {span["spanId"]: (span["traceId"], span.get("links", [])) for span in found.spans} == {
        "00000000000000a1": (trace, []),
        "00000000000000a2": (trace, [{"traceId": trace, "spanId": "00000000000000a1"}])}, found.spans
    assert not found.logs


def check_spans(trace):
    """`work spans`: ids 0 to 2 begin, 1 to 3 end: two slices end, one does not, one end is alone."""
    kinds = [event[1] for event in trace.events]
    assert kinds == [1, 1, 1, 2, 2, 3], kinds
    begun = [event[2] for event in trace.events[:3]]
    assert len(set(begun)) == 3 and [event[2] for event in trace.events[3:5]] == begun[1:], "each in a lane of its own"


def check_nested(trace):
    """`work nested`: 5 is in two parts; an event and a child in another thread have the flow of their spans."""
    kinds = [event[1] for event in trace.events]
    assert kinds == [1, 1, 1, 1, 3, 2, 2, 2, 1, 2, 2, 1, 2], kinds
    flows = [event[6] for event in trace.events]
    assert flows[3][1] == flows[0][0] and flows[4] == flows[1]
    tracks = [event[2] for event in trace.events]
    assert len(set(tracks)) == 2 and tracks[3] == tracks[4] == tracks[5]


# ---- stacks of events ----

def folded_stacks(build, recording):
    lines = cairn(build, "export", "-f", "stacks", "-o", "-", recording).decode().splitlines()
    return dict((line.rsplit(" ", 1)[0], int(line.rsplit(" ", 1)[1])) for line in lines)


def chrome_stacks(build, recording):
    document = json.loads(cairn(build, "export", "-f", "chrome", "-o", "-", recording))

    def names(number):
        frame = document["stackFrames"][str(number)]
        return (names(frame["parent"]) if "parent" in frame else ()) + (frame["name"],)

    return [names(event["sf"]) for event in document["traceEvents"] if event["ph"] == "i"]


def perfetto_stacks(build, recording):
    functions, frames, callstacks, found = {}, {}, {}, []
    for packet in map(message, message(cairn(build, "export", "-f", "perfetto", "-o", "-", recording))[1]):
        for interned in map(message, packet.get(12, [])):
            mappings = {one[1][0] for one in map(message, interned.get(19, []))}
            functions.update((one[1][0], one[2][0].decode()) for one in map(message, interned.get(5, [])))
            for one in map(message, interned.get(6, [])):
                assert one[1][0] not in frames and one[3][0] in mappings and 4 in one
                frames[one[1][0]] = functions[one[2][0]]
            callstacks.update((one[1][0], tuple(frames[n] for n in one[2])) for one in map(message, interned.get(7, [])))
        found += [callstacks[event[56][0]] for event in map(message, packet.get(11, [])) if event[9] == [3]]
    return found


def firefox_stacks(build, recording):
    found = []
    for thread in json.loads(cairn(build, "export", "-f", "firefox", "-o", "-", recording))["threads"]:
        tables = [thread[name] for name in ("samples", "stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols")]
        for table in tables:
            assert all(len(column) == table["length"] for column in table.values() if isinstance(column, list)), table
        samples, stacks, frames, functions, resources, _ = tables

        def names(number):
            function = frames["func"][stacks["frame"][number]]
            before = stacks["prefix"][number]
            assert thread["stringArray"][resources["name"][functions["resource"][function]]].startswith("/")
            return (() if before is None else names(before)) + (thread["stringArray"][functions["name"][function]],)

        causes = [data["cause"] for data in thread["markers"]["data"]]
        assert [cause["stack"] for cause in causes] == samples["stack"] and [cause["time"] for cause in causes] == samples["time"]
        found += map(names, samples["stack"])
    return found


def sqlite_stacks(build, work, recording):
    cairn(build, "export", "-f", "sqlite", "-o", work / "stacks.db", recording)
    with contextlib.closing(sqlite3.connect(work / "stacks.db")) as database:
        return [json.loads(stack) for stack, in database.execute("SELECT stack FROM events ORDER BY id")]


def otlp_stacks(found):
    return sorted(tuple(frame.split("+")[0] for frame in reversed(dict(log["attributes"])["code.stacktrace"].splitlines()))
                  for log in found.logs)


def frame_text(frame):
    return f"{frame['symbol']}+0x{frame['offset']:X} ({frame['object']})"


def check_ctf_stacks(build, work, recording, events):
    """Both forms have the same bytes; all events have a stack, so they are in the second stream."""
    for form in "ctf", "ctf2":
        cairn(build, "export", "-f", form, "-o", work / f"stacks.{form}", recording)
    assert (work / "stacks.ctf/stacks").read_bytes() == (work / "stacks.ctf2/stacks").read_bytes()
    assert not list(ctf2_events(work / "stacks.ctf2"))
    for wanted, (time_ns, full, context, _) in paired("stacks: CTF 2", events, list(ctf2_events(work / "stacks.ctf2", "stacks"))):
        assert (time_ns, full) == (wanted["time_ns"], full_name(wanted))
        assert context["callstack_user"] == [int(frame["address"], 16) for frame in wanted["stack"]], context
        assert context["callstack_symbols"] == [frame_text(frame) for frame in wanted["stack"]] and not context["callstack_kernel"]
    if bt2:
        found = [ctf_value(message.event.common_context_field) for message in bt2.TraceCollectionMessageIterator(str(work / "stacks.ctf"))
                 if isinstance(message, bt2._EventMessageConst)]
        assert [context["callstack_user"] for context in found] == [[int(frame["address"], 16) for frame in event["stack"]]
                                                                    for event in events]


def check_csv_stacks(build, recording, events):
    """The last column has them; or one that is asked for."""
    rows = list(csv.reader(cairn(build, "decode", "-f", "csv", recording).decode().splitlines()))
    assert rows[0][-1] == "stack" and [json.loads(row[-1]) for row in rows[1:]] == [event["stack"] for event in events]
    rows = list(csv.reader(cairn(build, "decode", "-f", "csv", "--fields", "stack,Number", recording).decode().splitlines()))
    assert rows[0][-2:] == ["stack", "Number"] and [json.loads(row[-2]) for row in rows[1:]] == [event["stack"] for event in events]


def check_stacks(build, work):
    """All formats that have stacks have those that jsonl has."""
    recording = work / "stacks.cairn"
    cairn(build, "record", "-q", "-e", "Cli_Stacks:*/stack/", "-o", recording, "--", build / "tests/cli/stacks", "20")
    events = events_of(build, recording)
    wanted = [tuple(frame["symbol"] for frame in reversed(event["stack"])) for event in events]
    assert len(wanted) > 40 and chrome_stacks(build, recording) == wanted and perfetto_stacks(build, recording) == wanted
    assert sorted(firefox_stacks(build, recording)) == sorted(wanted)
    if has_sqlite(build):
        assert sqlite_stacks(build, work, recording) == [event["stack"] for event in events]
    assert otlp_stacks(otlp_in_json(build, recording)) == sorted(wanted)
    assert otlp_stacks(otlp_in_protobuf(build, work / "stacks.otlp", recording)) == sorted(wanted)
    check_ctf_stacks(build, work, recording, events)
    check_csv_stacks(build, recording, events)
    counts = {}
    for event, stack in zip(events, wanted):
        line = ";".join([event["comm"], *stack, full_name(event)])
        counts[line] = counts.get(line, 0) + 1
    assert folded_stacks(build, recording) == counts
    print(f"stacks: {len(events)} events")


def compare(build, work, name, recording):
    """Compares what each format has of a recording with its events. Returns what was read of Perfetto's and of OpenTelemetry's."""
    events = events_of(build, recording)
    assert events
    done = ["perfetto", "chrome", "firefox", "otlp", "ctf2"]
    if bt2:
        compare_ctf(build, work, name, recording, events)
        done.append("ctf")
    compare_ctf2(build, work, name, recording, events)
    trace = compare_perfetto(build, work, name, recording, events)
    compare_chrome(build, work, name, recording, events)
    compare_firefox(build, work, name, recording, events)
    if has_sqlite(build):
        compare_sqlite(build, work, name, recording, events)
        done.append("sqlite")
    if shutil.which("trace-cmd"):
        compare_trace_dat(build, work, name, recording, events)
        done.append("trace.dat")
    found = check_otlp_files(build, work, name, recording, events)
    print(f"{name}: {len(events)} events: {', '.join(done)}", flush=True)
    return trace, found


def record(build, work, name, *program):
    recording = work / f"{name}.cairn"
    cairn(build, "record", "-q", "-o", recording, "--", *program)
    return recording


def check_programs(build, work):
    program = build / "tests/cli/work"
    compare(build, work, "work", record(build, work, "work", program, "50"))
    trace, _ = compare(build, work, "spans", record(build, work, "spans", program, "spans"))
    check_spans(trace)
    nested = record(build, work, "nested", program, "nested")
    trace, found = compare(build, work, "nested", nested)
    check_nested(trace)
    check_nested_otlp(found)
    check_folded(build, nested)
    check_links(build, work)
    check_stacks(build, work)
    compare(build, work, "members", record(build, work, "members", program, "members"))
    golden = build / "tests/golden/golden_write_macros"
    if golden.exists():
        compare(build, work, "golden", record(build, work, "golden", golden))
    scheduler = build / "tests/query/make_recording"
    if scheduler.exists():
        subprocess.run([scheduler, "20", work / "scheduler.data"], check=True)
        compare(build, work, "scheduler", work / "scheduler.data")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--recording", nargs="+", type=pathlib.Path)
    parser.add_argument("--some", type=int, metavar="NUMBER")
    options = parser.parse_args()
    build = options.build.resolve()
    Draw.some = options.some
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        os.environ["CAIRN_TRACING_DIR"] = str(work / "tracing")
        (work / "tracing").mkdir(mode=0o700)
        for number, recording in enumerate(options.recording or []):
            compare(build, work, f"{number}-{recording.name}", recording)
        if not options.recording:
            check_programs(build, work)


if __name__ == "__main__":
    main()
