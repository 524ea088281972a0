#!/usr/bin/env python3
"""Includes point down only: a file may include its own room's headers and those of rooms below it.

usage: check_includes.py SOURCE_ROOT
"""
import pathlib
import re
import sys

# For each room the rooms that it stands on. docs/architecture.md draws the same picture.
BELOW = {
    "core": [],
    "kernel": ["core"],
    "local": ["core"],
    "user_events": ["core", "kernel", "local"],
    "eventheader": ["core", "local", "user_events"],
    "preload": ["core", "kernel", "local"],
    "tracing": ["core", "local", "user_events", "eventheader"],
    "perf_data": ["core"],
    "session": ["core", "local", "user_events", "eventheader", "perf_data"],
    "decode": ["core", "local", "user_events", "eventheader", "perf_data", "session"],
}
BELOW["cli"] = list(BELOW)

# The public headers of each room.
PUBLIC = {
    "core": ["api", "filter", "guid", "level", "loss", "pool", "record", "schema", "text", "tracepoint"],
    "kernel": ["comm_cache", "error_log", "host", "linux", "linux_trace_event", "static_key", "trace", "trace_buffer",
               "trace_event", "trace_line", "trace_text"],
    "user_events": ["user_events"],
    "eventheader": ["eventheader", "eventheader_abi", "eventheader_dynamic"],
    "perf_data": ["perf_data"],
    "session": ["session"],
    "tracing": ["tracing"],
    "decode": ["decode"],
}
ROOM_OF = {name: room for room, names in PUBLIC.items() for name in names}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)


def room_of_path(path):
    """The room of a file of src/ or include/cairn/, or None."""
    if path.parts[0] == "src" and len(path.parts) > 2:
        return path.parts[1]
    if path.parts[:2] == ("include", "cairn"):
        stem = path.stem if len(path.parts) == 3 else path.parts[2]
        return ROOM_OF.get(stem, f"unknown public header {path.name}")
    return None


def room_of_include(name):
    """The room of an included header of ours, or None for a header of the system."""
    parts = pathlib.PurePosixPath(name).parts
    if parts[0] == "cairn":
        return ROOM_OF.get(pathlib.PurePosixPath(name).stem if len(parts) == 2 else parts[1])
    return parts[0] if len(parts) > 1 and parts[0] in BELOW else None


def main(root):
    root = pathlib.Path(root)
    bad = []
    files = 0
    for path in sorted([*root.glob("src/**/*.[ch]"), *root.glob("include/**/*.h")]):
        rel = path.relative_to(root)
        room = room_of_path(rel)
        if room not in BELOW:
            bad.append(f"{rel}: belongs to no known room ({room})")
            continue
        files += 1
        for name in INCLUDE.findall(path.read_text()):
            other = room_of_include(name)
            if other and other != room and other not in BELOW[room]:
                bad.append(f"{rel}: room {room} includes {name} of room {other}, which is not below it")
    print("\n".join(bad) or f"{files} files, includes point down only")
    return bool(bad) or not files


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
