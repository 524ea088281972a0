#!/usr/bin/env python3
"""Updates the private interface between libcairn and libcairn-collect: the marks of the prototypes of the functions that
libcairn-collect calls. To be run when linking libcairn-collect.so reports an undefined reference, or tests/libraries
reports an unused name. Format the headers whose names it prints afterwards.

usage: tools/private-api.py BUILD   (libcairn-collect.a and libcairn.a must be up to date)
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PREFIX = "libcairn_"
MARK = "CORE_PRIVATE_API"
INCLUDE = '#include "core/private_api.h"'


def names(archive, option):
    """The internal functions and variables that an archive defines or uses, without the prefix that the mark gives."""
    output = subprocess.run(["nm", option, archive], check=True, text=True, stdout=subprocess.PIPE).stdout
    words = (line.split() for line in output.splitlines())
    return {entry[-1].removeprefix(PREFIX) for entry in words if len(entry) > 1 and not entry[-1].startswith("cairn_")}


def needed(build):
    """The internal functions of libcairn that libcairn-collect uses."""
    collect, cairn = build / "src/libcairn-collect.a", build / "src/libcairn.a"
    return names(collect, "--undefined-only") - names(collect, "--defined-only") & names(cairn, "--defined-only")


def with_include(text):
    """Adds the include to the quoted ones, which are sorted, or before the first of the others."""
    if INCLUDE in text:
        return text
    lines = text.split("\n")
    quoted = [i for i, line in enumerate(lines) if line.startswith('#include "')]
    if quoted:
        lines.insert(next((i for i in quoted if lines[i] > INCLUDE), quoted[-1] + 1), INCLUDE)
    else:
        at = next(i for i, line in enumerate(lines) if line.startswith("#include"))
        lines[at:at] = [INCLUDE, ""]
    return "\n".join(lines)


def mark(path, wanted):
    """Marks the prototypes of a header. Returns the names that it has."""
    text = path.read_text()
    changed = re.sub(rf"\s+{MARK}\(\w+\);", ";", text)
    found = set()
    for name in wanted:
        changed, count = re.subn(rf"^((?!static|#|/| )[\w *\n]*?\b{name}\([^;]*);", rf"\1 {MARK}({name});", changed,
                                 count=1, flags=re.M)
        found |= {name} if count else set()
    if found:
        changed = with_include(changed)
    if re.sub(r"\s+", "", changed) != re.sub(r"\s+", "", text):
        path.write_text(changed)
        print(path.relative_to(ROOT))
    return found


def main(build):
    wanted = needed(pathlib.Path(build))
    found = set()
    for path in sorted(ROOT.glob("src/**/*.h")):
        if path.name != "private_api.h":
            found |= mark(path, wanted)
    for name in sorted(wanted - found):
        print(f"{name}: no header declares it at the beginning of a line")
    return 1 if wanted - found else 0


sys.exit(main(*sys.argv[1:]))
