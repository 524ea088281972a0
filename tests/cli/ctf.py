#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads CTF 1.8: a trace of all kinds of fields that this file writes, compared field by field with the text of babeltrace2 and with
what was written; and traces of `cairn export -f ctf`, which must be read as the recordings that they were made of.

usage: ctf.py BUILD [TRACE...]   TRACE: other traces, to be compared with babeltrace2
"""
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = true; } := int16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace { major = 1; minor = 8; byte_order = le;
    packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
env { tracer_name = "a test"; vpid = 77; };
clock { name = c; freq = 1000000; offset_s = 1700000000; offset = 5; absolute = true; };
typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := stamp_t;
stream { id = 0;
    packet.context := struct { stamp_t timestamp_begin; stamp_t timestamp_end; uint64_t content_size; uint64_t packet_size;
        uint64_t events_discarded; uint64_t packet_seq_num; uint32_t cpu_id; uint8_t _more; };
    event.header := struct { uint32_t id; stamp_t timestamp; };
    event.context := struct { int32_t _vtid; string _procname; int32_t _prio; }; };
event { name = "app:kinds"; id = 1; stream_id = 0; loglevel = 4;
    context := struct { uint8_t _own; };
    fields := struct {
        uint8_t _u8; int16_t _i16; uint64_t _u64;
        integer { size = 32; align = 8; signed = false; base = 16; } _hex;
        integer { size = 5; align = 1; signed = true; } _small;
        integer { size = 11; align = 1; signed = false; } _bits;
        floating_point { exp_dig = 8; mant_dig = 24; align = 8; } _single;
        floating_point { exp_dig = 11; mant_dig = 53; align = 8; } _double;
        string _text;
        enum : uint8_t { RED = 1, GREEN, MANY = 10 ... 20, ALSO = 12 } _color;
        enum : uint8_t { A, B } _colors[2];
        int16_t _fixed[3];
        uint32_t __seq_length; uint8_t _seq[__seq_length];
        uint32_t __strings_length; string _strings[__strings_length];
        integer { size = 8; align = 8; signed = false; encoding = UTF8; } _chars[4];
        integer { size = 8; align = 8; signed = false; base = 16; } _bytes[3];
        uint8_t _matrix[2][2];
        struct { uint8_t _x; struct { string _y; } _inner; } _nested;
        struct { uint8_t _x; string _y; } _list[2];
        struct { } _nothing;
        enum : uint8_t { NUMBER, WORDS } _tag;
        variant <_tag> { uint32_t NUMBER; struct { string _w; } WORDS; } _choice;
    }; };
event { name = "plain"; id = 2; stream_id = 0; fields := struct { }; };
"""

KINDS = [
    {"color": 12, "label": "MANY, ALSO", "seq": [], "strings": [], "tag": 0, "choice": {"NUMBER": 5}},
    {"color": 2, "label": "GREEN", "seq": [1, 2, 255], "strings": ["", 'a "b"', "tab\t"], "tag": 1, "choice": {"WORDS": {"w": "yes"}}},
    {"color": 99, "label": "", "seq": [0], "strings": ["caf\u00e9"], "tag": 1, "choice": {"WORDS": {"w": ""}}},
]


def text(value):
    return value.encode() + b"\0"


def head(number, stamp, tid=78, comm="thread"):
    return struct.pack("<IQi", number, stamp, tid) + text(comm) + struct.pack("<i", -20)


def kinds_event(stamp, kind):
    small_and_bits = (-3 & 31) | 1029 << 5
    out = head(1, stamp) + struct.pack("<BBhQIH", 9, 255, -2, 2**64 - 1, 0xBEEF, small_and_bits)
    out += struct.pack("<fd", 1.5, -0.1) + text("some text")
    out += struct.pack("<BBB3h", kind["color"], 1, 7, 1, -2, 3)
    out += struct.pack("<I", len(kind["seq"])) + bytes(kind["seq"])
    out += struct.pack("<I", len(kind["strings"])) + b"".join(map(text, kind["strings"]))
    out += b"abc\0" + b"\x00\x7f\xff" + bytes([1, 2, 3, 4])
    out += b"\x05" + text("deep") + b"\x01" + text("one") + b"\x02" + text("two")
    out += bytes([kind["tag"]])
    choice = kind["choice"]
    return out + (struct.pack("<I", choice["NUMBER"]) if "NUMBER" in choice else text(choice["WORDS"]["w"]))


def kinds_fields(kind):
    return {
        "packet_context": {"more": 3}, "common_context": {"prio": -20}, "specific_context": {"own": 9},
        "u8": 255, "i16": -2, "u64": 2**64 - 1, "hex": "0xBEEF", "small": -3, "bits": 1029, "single": 1.5, "double": -0.1,
        "text": "some text", "color": kind["color"], "color_label": kind["label"], "colors": [1, 7], "colors_label": ["B", ""],
        "fixed": [1, -2, 3], "seq": kind["seq"], "strings": kind["strings"], "chars": "abc", "bytes": "00 7f ff",
        "matrix": [{"elements": [1, 2]}, {"elements": [3, 4]}], "nested": {"x": 5, "inner": {"y": "deep"}},
        "list": [{"x": 1, "y": "one"}, {"x": 2, "y": "two"}], "nothing": None,
        "tag": kind["tag"], "tag_label": ["NUMBER", "WORDS"][kind["tag"]], "choice": kind["choice"]}


def write_packet(events, first, last, lost, number):
    body = b"".join(events)
    size = (8 + 6 * 8 + 5 + len(body)) * 8
    return struct.pack("<IIQQQQQQIB", 0xC1FC1FC1, 0, first, last, size, size, lost, number, 2, 3) + body


def write_trace(directory):
    directory.mkdir(parents=True)
    (directory / "metadata").write_text(METADATA)
    first = [kinds_event(100 + n, kind) for n, kind in enumerate(KINDS)]
    second = [head(2, 200) + b"", head(2, 201, -1, "")]
    (directory / "stream").write_bytes(write_packet(first, 100, 102, 0, 3) + write_packet(second, 200, 201, 41, 6))


# ---- the text of babeltrace2 ----

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\](),:=]|[^\s{}\[\](),:="]+')


class Text:
    """Reads `{ name = value, ... }` of babeltrace2."""

    def __init__(self, line):
        self.tokens = TOKEN.findall(line)
        self.at = 0

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def members(self, end):
        found = {}
        while self.peek() != end:
            name = self.take()
            if name == "[":  # an index
                name = self.take()
                self.take()
            self.take()
            found[name] = self.value()
            if self.peek() == ",":
                self.take()
        self.take()
        return found

    def enumeration(self):
        labels = []
        while self.peek() != ":":
            token = self.take()
            if token.startswith('"'):
                labels.append(unquote(token))
        self.take(), self.take(), self.take()
        number = int(self.take())
        self.take()
        return ("enum", number, ", ".join(labels))

    def value(self):
        token = self.take()
        if token == "{" and self.peek() != "}" and self.tokens[self.at + 1] != "=":
            value = ("variant", self.value())
            self.take()
            return value
        if token == "{":
            return self.members("}")
        if token == "[":
            return list(self.members("]").values())
        if token == "(":
            return self.enumeration()
        return unquote(token) if token.startswith('"') else token


def unquote(token):
    escapes = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
    return re.sub(r"\\(x[0-9a-fA-F]{2}|.)",
                  lambda found: chr(int(found[1][1:], 16)) if len(found[1]) == 3 else escapes.get(found[1], found[1]), token[1:-1])


def same(wanted, found):
    """A value of babeltrace2's text, and ours."""
    if isinstance(wanted, tuple) and wanted[0] == "variant":
        return same(wanted[1], next(iter(found.values())))
    if isinstance(wanted, tuple):
        return wanted[1] == found
    if isinstance(wanted, dict):
        if not wanted:
            return found is None
        return isinstance(found, dict) and not differences(wanted, found)
    if isinstance(wanted, list):
        if isinstance(found, str):  # bytes
            return [int(byte, 16) for byte in found.split()] == [int(byte, 0) for byte in wanted]
        if found and isinstance(found[0], dict) and "elements" in found[0]:
            found = [element["elements"] for element in found]
        return len(wanted) == len(found) and all(map(same, wanted, found))
    if isinstance(found, str):
        return wanted == found or (found.startswith("0x") and int(wanted, 0) == int(found, 0))
    if isinstance(found, float) or "." in wanted or "e" in wanted:
        return math.isclose(float(wanted), float(found), rel_tol=1e-5)
    return int(wanted, 0) == found


def differences(wanted, found):
    left = dict(found)
    wrong = []
    for name, value in wanted.items():
        if name.startswith("_") and name.endswith("_length") and name[1:-7] in wanted:
            continue
        if wanted.get(f"_{name}_length") == "0" and isinstance(value, str):
            value = ""  # babeltrace2 2.0 prints the text of an event before
        if name not in left or not same(value, left.pop(name)):
            wrong.append((name, value, found.get(name)))
        elif isinstance(value, tuple) and value[0] == "enum" and left.pop(name + "_label") != value[2]:
            wrong.append((name + "_label", value, found))
        elif isinstance(value, list) and value and isinstance(value[0], tuple) and \
                left.pop(name + "_label") != [element[2] for element in value]:
            wrong.append((name + "_label", value, found))
    left.pop(next((name for name in left if name.endswith("_label")), None), None)  # of an empty array
    return wrong + list(left.items())


LINE = re.compile(r"^\[([0-9]+)\.([0-9]+)\] (.*?)(\S+): (\{.*)$")
CONTEXTS = {"cpu_id", "pid", "vpid", "tid", "vtid", "procname"}


def compare_line(line, event):
    parts = LINE.match(line)
    groups = []
    reader = Text(parts[5])
    while reader.peek():
        groups.append(reader.value())
        if reader.peek():
            reader.take()
    fields = dict(event["fields"])
    contexts = {}
    for name in ("packet_context", "common_context", "specific_context"):
        contexts.update(fields.pop(name, {}))
    wanted = {name: value for group in groups[:-1] for name, value in group.items() if name not in CONTEXTS}
    taken = {name: value for group in groups[:-1] for name, value in group.items()}
    for ours, theirs in (("cpu", ("cpu_id",)), ("pid", ("pid", "vpid")), ("tid", ("tid", "vtid")), ("comm", ("procname",))):
        value = next((taken[name] for name in theirs if name in taken), None)
        if value not in (None, "", "-1") and str(event.get(ours)) != value:
            return f"{ours}: {value!r}, {event.get(ours)!r}"
    if int(parts[1]) * 10**9 + int(parts[2]) != event["time_ns"]:
        return f"time: {parts[1]}.{parts[2]}, {event['time_ns']}"
    name = parts[4]
    if name != (f"{event['provider']}:{event['event']}" if ":" in name else event["event"]):
        return f"name: {name}"
    if "related_activity" in wanted and "keyword" in event:  # of `cairn export`: members of the event
        for name in ("keyword", "id", "tag", "level", "opcode", "version", "activity", "related_activity"):
            wanted.pop(name)
    return differences(wanted, contexts) or differences(groups[-1], fields)


def decode(build, *arguments, status=(0,)):
    done = subprocess.run([build / "cairn", "decode", "-f", "jsonl", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    if done.returncode not in status:
        sys.exit(f"{arguments}: {done.returncode}: {done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def compare_texts(build, trace):
    events, _ = decode(build, trace)
    done = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", trace], capture_output=True, check=True)
    # A text has the bytes of the trace: newlines, too. Bytes that are not UTF-8 are replaced as ours are.
    lines = re.split(r"\n(?=\[[0-9]+\.[0-9]{9}\] )", done.stdout.decode(errors="replace").rstrip("\n"))
    if len(lines) != len(events):
        sys.exit(f"{trace}: babeltrace2 has {len(lines)} events, cairn {len(events)}")
    for line, event in zip(lines, events):
        wrong = compare_line(line, event)
        if wrong:
            sys.exit(f"{trace}: {wrong}\n{line}\n{json.dumps(event)}")
    return len(events)


def check_kinds(build, work):
    write_trace(work / "session/ust/kinds")
    events, errors = decode(build, work / "session")
    lost = ("41 events were lost", "2 packets of events were lost")
    if not all(text in errors for text in lost) or len(events) != len(KINDS) + 2:
        sys.exit(f"{errors}{events}")
    for number, (event, kind) in enumerate(zip(events, KINDS)):
        wanted = {"time_ns": 1700000000 * 10**9 + (5 + 100 + number) * 1000, "cpu": 2, "pid": 77, "tid": 78, "provider": "app",
                  "event": "kinds", "level": "warning", "comm": "thread", "fields": kinds_fields(kind)}
        for name, value in wanted.items():
            if event[name] != value:
                sys.exit(f"{name}: wanted {value!r}, found {event[name]!r}")
    if events[-1]["provider"] != "a_test" or events[-1]["event"] != "plain" or events[-1]["tid"] != 77:
        sys.exit(f"{events[-1]}")


def check_round_trip(build, work):
    """What `cairn export` wrote, is read as it was."""
    recording, trace = work / "golden.cairn", work / "golden.ctf"
    subprocess.run([build / "cairn", "record", "-q", "-o", recording, "--", build / "tests/golden/golden_write_macros"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([build / "cairn", "export", "-f", "ctf", "-o", trace, recording], check=False, stderr=subprocess.DEVNULL)
    wanted, _ = decode(build, recording, status=(0, 1))  # some of its events are damaged on purpose
    found, _ = decode(build, trace)
    if len(wanted) != len(found) or len(wanted) < 50:
        sys.exit(f"{len(wanted)} events were exported, {len(found)} are read")
    members = ("time", "time_ns", "cpu", "pid", "tid", "comm", "provider", "event", "level", "keyword", "opcode", "id", "version", "tag",
               "activity", "related_activity")
    for before, after in zip(wanted, found):
        for name in members if "error" not in before else ("time", "time_ns", "tid"):
            if before.get(name) != after.get(name):
                sys.exit(f"{name}: {before}\n{after}")


def check_unreadable(build, work):
    """A directory that may not be read, as those of other users in LTTng's sessions, is not left out."""
    if not os.geteuid():
        return  # root may read all
    write_trace(work / "two/ust/1000")
    write_trace(work / "two/ust/1001")
    (work / "two/ust/1001").chmod(0)
    _, errors = decode(build, work / "two", status=(1,))
    (work / "two/ust/1001").chmod(0o700)
    if "Permission denied" not in errors:
        sys.exit(errors)


def check_damaged(build, work):
    """Each truncation of the metadata ends in an error or is read: the library's own aborts do not reach us."""
    trace = work / "session/ust/kinds"
    whole = (trace / "stream").read_bytes()
    for size in (1, 60, len(whole) - 3):
        (trace / "stream").write_bytes(whole[:size])
        decode(build, trace, status=(1,))
    (trace / "stream").write_bytes(whole)
    (trace / "metadata").write_text(METADATA[:700])
    _, errors = decode(build, trace, status=(1,))
    if "Traceback" in errors or not errors.startswith("cairn decode: "):
        sys.exit(errors)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        os.environ["CAIRN_TRACING_DIR"] = str(work / "tracing")
        write_trace(work / "probe")
        probe = subprocess.run([build / "cairn", "decode", work / "probe"], capture_output=True, check=False)
        if b"lacks" in probe.stderr or b"not installed" in probe.stderr:
            sys.exit(77)
        check_kinds(build, work)
        check_round_trip(build, work)
        if shutil.which("babeltrace2"):
            for trace in [work / "session", work / "golden.ctf", *map(pathlib.Path, sys.argv[2:])]:
                print(trace.name, compare_texts(build, trace), "events")
        check_unreadable(build, work)
        check_damaged(build, work)


main()
