#!/usr/bin/env python3
"""Runs a program for Windows that writes the golden events, and compares what it passed to ETW.

usage: compare.py macros|builder WINE PROGRAM
"""
import errno
import os
import pathlib
import subprocess
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
os.environ["GOLDEN_BYTE_ORDER"] = "little"
import events  # noqa: E402
import generate_windows  # noqa: E402
import tracelogging  # noqa: E402

SKIP = 77


def hexadecimal(parts):
    return "0 " + " ".join(part.hex() or "-" for part in parts)


def expected(how, event):
    if event.payload is None or "Largest" == event.name and len(event.payload) > 65000:
        return None  # limits differ: it is too large, or its result is compared alone
    return hexadecimal(tracelogging.event_of(event) if how == "macros" else tracelogging.built_event_of(event))


def provider_line():
    """The id is a UUID of version 5 of the name in upper case, in UTF-16, big-endian."""
    name = "GOLDEN".encode("utf-16-be")
    import hashlib
    digest = bytearray(hashlib.sha1(uuid.UUID("482c2db2-c390-47c8-87f8-1a15bfc130fb").bytes + name).digest()[:16])
    digest[7] = digest[7] & 0x0f | 0x50
    return f"provider {bytes(digest).hex()} {bytes([9, 0]).hex()}{b'Golden'.hex()}00 "


def main(how, wine, program):
    environment = dict(os.environ, WINEDEBUG="-all")
    run = subprocess.run([wine, program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment, check=False)
    if run.returncode == 127 or not run.stdout:
        print(f"{wine} does not run programs here")
        return SKIP
    found = run.stdout.replace("\r", "").splitlines()
    wanted = list(generate_windows.some_events() if how == "macros" else events.built_events())
    bad = len(found) != len(wanted) + 1 or found[0] != provider_line()
    if bad:
        print(f"{len(wanted)} events wanted, {len(found) - 1} found; {found[:1]}, {provider_line()}")
    for event, line in zip(wanted, found[1:]):
        text = expected(how, event)
        if text is None and line.split()[0] not in ("0", str(errno.E2BIG)) or text is not None and line.strip() != text:
            bad = True
            print(f"{event.name} {event.text[:300]}\n  wanted {(text or '')[:900]}\n  found  {line[:900]}")
    print(f"{len(wanted)} events")
    return bad


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
