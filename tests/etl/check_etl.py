#!/usr/bin/env python3
"""Recordings of Windows are decoded: the golden events as TraceLogging events, which tests/windows compares with what a program for
Windows writes, give the same lines of JSON as a recording of the same events on this system. Damaged files are read as far as they are
whole.

usage: check_etl.py CAIRN PROGRAM
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import etl

here = pathlib.Path(__file__).resolve().parent
for directory in ("windows", "golden"):
    sys.path.insert(0, str(here.parent / directory))
os.environ["GOLDEN_BYTE_ORDER"] = "little"
import events  # noqa: E402
import generate_windows  # noqa: E402
import tracelogging  # noqa: E402

TRAITS = struct.pack("<H", 9) + b"Golden\0"
failures = []


def check(is_true, text):
    print("ok  " if is_true else "FAIL", text)
    if not is_true:
        failures.append(text)


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)


def decode(cairn, path, *options):
    result = run(cairn, "decode", "-f", "jsonl", *options, str(path))
    return [json.loads(line) for line in result.stdout.splitlines()], result


def is_compared(event):
    """Events that both systems write, without raw fields, whose encoding the program chooses itself."""
    return (event.payload is not None and event.name != "Largest" and "raw_" not in event.text and
            event.name not in ("Ignored", "DeepAndWide", "LongestArray"))


def without_time(line):
    line = {key: value for key, value in line.items() if key not in ("time", "time_ns", "wall", "cpu", "pid", "tid", "comm", "process")}
    # Fields to which the program gives another format are those of the substitutions in docs/etw.md.
    line["fields"] = {name: value for name, value in line.get("fields", {}).items() if name not in ("Formatted", "Both", "Turned")}
    return line


def numbers(value):
    """Errno codes have no names on Windows."""
    if isinstance(value, dict):
        return {name: numbers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [numbers(item) for item in value]
    code = isinstance(value, str) and tracelogging.re.fullmatch(r"E[A-Z0-9]+\((-?\d+)\)", value)
    return int(code[1]) if code else value


def as_on_windows(line, event):
    """The documented substitutions."""
    line["fields"] = numbers(line["fields"])
    fields = line["fields"]
    for word, name in tracelogging.re.findall(r'(\w+)\("(\w+)"', event.text):
        if name not in fields:
            continue
        value = fields[name]
        if word.endswith("_nullable") and word != "ipv6_nullable":
            fields[name] = [] if value is None else [value]
        elif word == "ip_address" and isinstance(value, str) and "." in value:
            fields[name] = "::ffff:" + value
        elif word == "binary_length16_char8" and value is None:
            fields[name] = ""
        elif word == "systemtime":
            fields[name] = value.replace("Z", f".{tracelogging.NANOSECONDS // 100:07}Z")
    return line


def golden_records(wanted):
    records = [[], [], []]
    for number, event in enumerate(wanted):
        descriptor, activity, related, metadata, data = tracelogging.event_of(event)
        records[number * 7 % 3].append(etl.event_record(1000 * number, descriptor, metadata, data, activity, related, TRAITS))
    return records


def systems_agree(cairn, program, directory):
    recording = directory / "linux.cairn"
    environment = dict(os.environ, CAIRN_TRACING_DIR=str(directory / "tracing"), CAIRN_BACKEND="local")
    run(cairn, "record", "-e", "Golden_*", "-o", str(recording), "--", program, env=environment)
    linux, _ = decode(cairn, recording)
    written = [event for event in events.all_events() if event.payload is not None]
    check(len(linux) == len(written), f"{len(written)} events are recorded here ({len(linux)})")
    wanted = [(event, line) for event, line in zip(written, linux) if is_compared(event)]
    (directory / "windows.etl").write_bytes(etl.etl(golden_records([event for event, _ in wanted])))
    windows, result = decode(cairn, directory / "windows.etl")
    check(result.returncode == 0 and len(windows) == len(wanted), f"{len(wanted)} events are decoded ({len(windows)}) {result.stderr}")
    different = 0
    for (event, line), other in zip(wanted, windows):
        a, b = as_on_windows(without_time(line), event), without_time(other)
        if a != b:
            different += 1
            print(f"  {event.text[:200]}\n    here    {json.dumps(a)[:400]}\n    windows {json.dumps(b)[:400]}")
    check(not different, f"{len(wanted)} events have the same lines as here ({different} differ)")


def others_are_decoded(cairn, directory):
    """Types of foreign events, and events without metadata."""
    def field(name, *types):
        return name.encode() + b"\0" + bytes(types)

    metadata = (b"\0Foreign\0" + field("Filetime", 17) + field("Systemtime", 18) +
                field("Utc", 18 | 0x80, 38) + field("Whole", 18 | 0x80, 38) + field("Bool", 13) + field("Bools", 0x40 | 13) + field("Sid", 19) + field("Pointer", 16) +
                field("Text", 1) + field("Signed", 8 | 0x80, 17) + field("Array", 0x40 | 22) + field("Fixed", 0x20 | 6) + struct.pack("<H", 2))
    values = (struct.pack("<Q", 132000000001234567) + 2 * struct.pack("<8H", 2024, 2, 4, 29, 23, 59, 58, 7) +
              struct.pack("<8H", 2024, 2, 4, 29, 23, 59, 58, 0) + struct.pack("<IHII", 1, 2, 0, 1) +
              bytes([1, 2, 0, 0, 0, 0, 0, 5]) + struct.pack("<II", 32, 544) + struct.pack("<Q", 0xdeadbeef) +
              "€\0".encode("utf-16-le") + struct.pack("<i", -3) + struct.pack("<HHHH", 2, 2, 0x41, 0) + struct.pack("<HH", 1, 2))
    descriptor = struct.pack("<HBBBBHQ", 7, 1, 11, 4, 0, 9, 0x10)
    traits = struct.pack("<H", 16) + b"Some.Name: x\0" + b"\0"
    records = [etl.event_record(0, descriptor, struct.pack("<H", len(metadata) + 2) + metadata, values, traits=traits),
               etl.event_record(1000, descriptor, None, b"\1\2\3"),
               etl.kernel_record(2000, 3, 1, b"\4\5"),
               etl.event_record(3000, descriptor, b"\x20\0\0Bad", b"\6", traits=TRAITS)]
    (directory / "other.etl").write_bytes(etl.etl([records]))
    lines, _ = decode(cairn, directory / "other.etl")
    fields = [line["fields"] for line in lines]
    check(fields[:1] == [{"Filetime": "2019-04-17T18:40:00.1234567Z", "Systemtime": "2024-02-29T23:59:58.007",
                          "Utc": "2024-02-29T23:59:58.007Z", "Whole": "2024-02-29T23:59:58Z", "Bool": True, "Bools": [False, True],
                          "Sid": "S-1-5-32-544",
                          "Pointer": "0xDEADBEEF", "Text": "€", "Signed": -3, "Array": ["A", ""], "Fixed": [1, 2]}],
          f"types that only Windows has become text {fields[:1]}")
    names = [line["provider"] + ":" + line["event"] for line in lines]
    check(names == ["Some.Name__x:Foreign", "03020100-0504-0706-0809-0a0b0c0d0e0f:Event7", "Kernel:Group3Type1", "Golden:Event7"],
          f"events without metadata have the members of their header {names}")
    check([field.get("Data") for field in fields[1:]] == ["01 02 03", "04 05", "06"], f"and their bytes {fields[1:]}")


def damage_is_reported(cairn, directory):
    wanted = [event for event in generate_windows.some_events() if is_compared(event)][:40]
    whole = etl.etl(golden_records(wanted), 1 << 13)
    cases = {"cut": (whole[:len(whole) - 5000], "cut short"), "head": (whole[:1 << 13] + b"\1" + whole[(1 << 13) + 1:], "invalid head"),
             "record": (whole[:(1 << 13) + 74] + b"\x99" + whole[(1 << 13) + 75:], "invalid record")}
    for name, (data, text) in cases.items():
        (directory / f"{name}.etl").write_bytes(data)
        lines, result = decode(cairn, directory / f"{name}.etl")
        check(result.returncode == 1 and text in result.stderr, f"{name}: {result.returncode} {result.stderr.strip()} ({len(lines)} events)")
    first = etl.buffer([etl.head_record(1 << 16, mode=0x04010001)], 1024, 0)  # as the system's relogger writes it
    for name, data in (("mode", etl.etl([[]], 1 << 13, mode=0x04000000)), ("first", first), ("buffer", whole[:1 << 13] + etl.buffer([], 1 << 13, 0, 0x40))):
        (directory / f"{name}.etl").write_bytes(data)
        lines, result = decode(cairn, directory / f"{name}.etl")
        check(result.returncode == 1 and not lines and "compressed" in result.stderr, f"{name}: {result.stderr.strip()}")
    (directory / "lost.etl").write_bytes(etl.etl(golden_records(wanted), 1 << 13, lost=5))
    _, result = decode(cairn, directory / "lost.etl")
    check("5" in result.stderr and "lost" in result.stderr, f"lost events are reported: {result.stderr.strip()}")


def main(cairn, program):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        systems_agree(cairn, program, directory)
        others_are_decoded(cairn, directory)
        damage_is_reported(cairn, directory)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
