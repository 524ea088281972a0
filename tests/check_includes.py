#!/usr/bin/env python3
"""Includes point down only: a file includes headers of its own component and of components below it. The sources do not include
deprecated headers: these exist for programs that were written before, and contain one include. Atomics of the sources have the
names of src/core/atomic.h.

usage: check_includes.py SOURCE_ROOT
"""
import pathlib
import re
import sys

# The components that each component may use. docs/architecture.md draws the same picture.
BELOW = {
    "core": [],
    "kernel": ["core"],
    "os": ["core"],
    "condition": ["core"],
    "engine": ["core", "os", "condition"],
    "user_events": ["core", "kernel", "os", "engine"],
    "eventheader": ["core", "os", "engine", "user_events"],
    "etw": ["core", "kernel", "os", "engine", "user_events", "eventheader"],
    "tracefs": ["core", "kernel", "os", "engine"],
    "preload": ["core", "kernel", "os", "engine", "tracefs", "accelerator"],
    "libc": ["core", "kernel", "os", "engine", "user_events"],
    "run": ["core", "kernel", "os", "engine", "tracefs"],
    "accelerator": ["core", "os", "engine", "tracefs"],
    "tracing": ["core", "os", "engine", "user_events", "eventheader"],
    "perf_data": ["core"],
    "elf": ["os"],
    "perf_events": ["core", "os", "perf_data", "elf"],
    "session": ["core", "os", "condition", "engine", "user_events", "eventheader", "tracing", "perf_data", "trace_file", "perf_events"],
    "trace_file": ["core", "eventheader", "perf_data"],
    "etl": ["core", "eventheader", "perf_data"],
    "ctf": ["core", "os", "eventheader", "perf_data"],
    "decode": ["core", "os", "engine", "user_events", "eventheader", "perf_data", "trace_file", "elf", "session", "etl", "ctf"],
    "convert": ["core", "eventheader", "perf_data", "trace_file"],
    "export": ["core", "eventheader", "perf_data", "decode"],
    "select": ["core", "condition", "eventheader", "perf_data", "decode", "export"],
    "timeline": ["core", "eventheader", "perf_data", "decode"],
    "stats": ["core", "eventheader", "perf_data", "decode", "export", "timeline"],
    "exchange": ["core", "os", "eventheader", "perf_data", "decode", "export", "timeline"],
    "query": ["core", "eventheader", "perf_data", "trace_file", "decode", "export", "timeline", "stats", "session", "inspect"],
    "inspect": ["core", "os", "engine", "user_events", "perf_data", "session", "perf_events"],
    "report": ["core", "eventheader", "perf_data", "decode", "export", "timeline", "stats", "inspect"],
}
# The program uses the libraries as any program may: by their public headers.
BELOW["cli"] = list(BELOW)
PUBLIC_ONLY = ["cli"]

# The public headers and header directories of each component.
PUBLIC = {
    "core": ["api", "deprecated", "eventheader_abi", "eventheader/field_types", "eventheader/text", "filter", "guid", "kernel/pool", "kernel/text", "loss", "record", "schema", "tracepoint"],
    "kernel": ["kernel", "linux", "linux_trace_event", "typed_tracepoint"],
    "user_events": ["user_events"],
    "eventheader": ["eventheader", "eventheader_dynamic"],
    "perf_data": ["perf_data"],
    "session": ["session"],
    "tracing": ["tracing"],
    "decode": ["decode", "reader"],
    "export": ["export"],
    "select": ["select"],
    "stats": ["stats"],
    "exchange": ["exchange"],
    "inspect": ["inspect"],
    "report": ["report"],
    "convert": ["convert", "repair"],
    "run": ["mount"],
    "query": ["query"],
}
COMPONENT_OF = {name: component for component, names in PUBLIC.items() for name in names}
# A header that programs may have included for something that is elsewhere now.
DEPRECATED_HERE = re.compile(r"/\* Deprecated here: [^\n]* \*/\n#include <cairn/[\w/]+\.h>\n")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)
DEPRECATED = re.compile(r"/\* SPDX-License-Identifier: MIT \*/\n/\* Deprecated: include (cairn/[\w/]+\.h)\. \*/\n#include <\1>\n")


ATOMIC = re.compile(r"\b(?:__atomic_|atomic_(?:load|store|fetch|exchange|compare)|_Atomic\b)")
MAY_BE_RAW = ["src/core/atomic.h", "src/cli/"]  # where they are defined; what may use public headers only


def component_of_public(name):
    """The component of a public header, "schema.h" or "kernel/host.h", or None."""
    stem = name.removesuffix(".h")
    return COMPONENT_OF.get(stem) or COMPONENT_OF.get(stem.split("/")[0])


def component_of_path(path):
    """The component of a file of src/ or include/cairn/, or None."""
    if path.parts[0] == "src" and len(path.parts) > 2:
        return path.parts[1]
    if path.parts[:2] == ("include", "cairn"):
        return component_of_public("/".join(path.parts[2:])) or f"unknown public header {path.name}"
    return None


def component_of_include(name):
    """The component of an included header of cairn, or None for a header of the system."""
    parts = pathlib.PurePosixPath(name).parts
    if parts[0] == "cairn":
        return component_of_public("/".join(parts[1:]))
    return parts[0] if len(parts) > 1 and parts[0] in BELOW else None


def deprecated(root):
    """The deprecated public headers, as sources would include them."""
    return {str(path.relative_to(root / "include")) for path in root.glob("include/cairn/*.h")
            if DEPRECATED.fullmatch(path.read_text())}


def main(root):
    root = pathlib.Path(root)
    bad = []
    files = 0
    old = deprecated(root)
    for path in sorted([*root.glob("src/**/*.[ch]"), *root.glob("include/**/*.h")]):
        rel = path.relative_to(root)
        if str(path.relative_to(root / "include" if rel.parts[0] == "include" else root)) in old:
            continue
        component = component_of_path(rel)
        if component not in BELOW:
            bad.append(f"{rel}: belongs to no known component ({component})")
            continue
        files += 1
        if rel.parts[0] == "src" and not str(rel).startswith(tuple(MAY_BE_RAW)) and ATOMIC.search(path.read_text()):
            bad.append(f"{rel}: an atomic has no name of core/atomic.h")
        for name in INCLUDE.findall(DEPRECATED_HERE.sub("", path.read_text())):
            other = component_of_include(name)
            if name in old:
                bad.append(f"{rel}: {name} is deprecated")
            elif other and other != component and other not in BELOW[component]:
                bad.append(f"{rel}: component {component} includes {name} of component {other}, which is not below it")
            elif (component in PUBLIC_ONLY and other not in (None, component) and not name.startswith("cairn/")):
                bad.append(f"{rel}: component {component} includes {name}, which is not public")
    print("\n".join(bad) or f"{files} files, includes point down only")
    return bool(bad) or not files


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
