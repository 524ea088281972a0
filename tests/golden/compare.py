#!/usr/bin/env python3
"""Runs the program that writes the golden events, and compares the bytes that it reads from its buffers.

usage: compare.py macros|builder PROGRAM...
"""
import errno
import subprocess
import sys

import events

HEAD_BYTES = 52


def padded(payload):
    """The payload as in a record: with zeros up to a multiple of 8."""
    return payload + bytes(-(HEAD_BYTES + len(payload)) % 8)


def expected(event):
    if event.payload is None:
        return f"{errno.E2BIG} - "
    return f"0 {event.tracepoint} {padded(event.payload).hex()}"


def short(line):
    return line if len(line) < 400 else f"{line[:400]}... ({len(line)} characters)"


def main(how, *program):
    found = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    wanted = list({"macros": events.all_events, "builder": events.built_events}[how]())
    bad = len(found) != len(wanted)
    for event, line in zip(wanted, found):
        if line != expected(event):
            bad = True
            print(f"{event.name} {short(event.text)}\n  wanted {short(expected(event))}\n  found  {short(line)}")
    print(f"{len(wanted)} events wanted, {len(found)} found")
    return bad


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
