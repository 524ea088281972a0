#!/usr/bin/env python3
"""Updates the private interface between libcairn and libcairn-collect: the list in src/libcairn.map.in, and the marks of the
prototypes, for the functions that libcairn-collect calls. To be run when linking libcairn-collect.so reports an undefined
reference, or tests/libraries reports an unused name. Format the headers whose names it prints afterwards.

usage: tools/private-api.py BUILD   (libcairn-collect.a and libcairn.a must be up to date)
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MAP = ROOT / "src/libcairn.map.in"
MARK = "CAIRN_PRIVATE_API"
INCLUDE = '#include "core/private_api.h"'
LIST = re.compile(r"(LIBCAIRN_PRIVATE_@VERSION@ \{\n  global:\n)(?:    \w+;\n)*")


def names(archive, *options):
    output = subprocess.run(["nm", *options, archive], check=True, text=True, stdout=subprocess.PIPE).stdout
    return {line.split()[-1] for line in output.splitlines() if len(line.split()) > 1 and "cairn_" in line}


def needed(build):
    """The functions of libcairn that libcairn-collect uses and no public header declares."""
    collect, cairn = build / "src/libcairn-collect.a", build / "src/libcairn.a"
    taken = names(collect, "--undefined-only") - names(collect, "--defined-only") & names(cairn, "--defined-only")
    public = "\n".join(path.read_text() for path in ROOT.glob("include/cairn/**/*.h"))
    return {name for name in taken if not re.search(rf"\bCAIRN_API\b[^;]*\b{name}\s*[(\[;]", public)}


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
    changed = re.sub(rf"^{MARK}\s+", "", text, flags=re.M)
    found = set()
    for name in wanted:
        changed, count = re.subn(rf"^((?!static|#|/| )[\w *\n]*?\b{name}\()", rf"{MARK} \1", changed, count=1, flags=re.M)
        found |= {name} if count else set()
    if found:
        changed = with_include(changed)
    if changed != text and re.sub(r"\s+", "", changed) != re.sub(r"\s+", "", text):
        path.write_text(changed)
        print(path.relative_to(ROOT))
    return found


def main(build):
    wanted = needed(pathlib.Path(build))
    found = set()
    for path in sorted(ROOT.glob("src/**/*.h")):
        if path.name != "private_api.h":
            found |= mark(path, wanted)
    MAP.write_text(LIST.sub(lambda match: match[1] + "".join(f"    {name};\n" for name in sorted(wanted)), MAP.read_text()))
    for name in sorted(wanted - found):
        print(f"{name}: no header declares it at the beginning of a line")
    return 1 if wanted - found else 0


sys.exit(main(*sys.argv[1:]))
