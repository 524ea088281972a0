#!/usr/bin/env python3
"""The machine code of a call site is the check; out of line, the values are encoded, with calls for what has no fixed size.

usage: check_site.py SOURCE_ROOT
"""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PROGRAM = """#include <cairn/eventheader.h>
CAIRN_PROVIDER_DECLARE(provider);
int place(unsigned number, const char *text, unsigned short length);
int place(unsigned number, const char *text, unsigned short length)
{
    return CAIRN_WRITE_EVENT(provider, "Name", u32("Alpha", number), str8_n("Beta", text, length));
}
"""
METADATA = b"Name\0Alpha\0\4Beta\0\n"
INLINE_MAX = 8  # instructions up to the return of a disabled event


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=600).stdout


def wrong(compiler, root, directory):
    """Returns the differences from the expected code."""
    source, output = directory / "place.c", directory / "place.o"
    source.write_text(PROGRAM)
    run(compiler, "-std=gnu17", "-O2", "-fPIC", f"-I{root / 'include'}", "-c", source, "-o", output)
    code = run("objdump", "-dr", "--no-show-raw-insn", output).decode()
    calls = re.findall(r"R_X86_64_(?:PL|GOTPCRELX)\S*\s+(cairn_i_\w+?)-", code)
    if calls != ["cairn_i_event_begin", "cairn_i_put_slice", "cairn_i_event_commit"]:
        yield f"it calls {calls}"
    place = code[code.index("<place>:"):]
    instructions = re.findall(r"^\s+[0-9a-f]+:\t(\w+)", place[:place.index("\tret")], re.M)
    if len(instructions) + 1 > INLINE_MAX or sum(name.startswith("j") for name in instructions) != 1:
        yield f"in line there are {instructions}"
    if output.read_bytes().count(METADATA) != 1:
        yield "the metadata is not one constant object"


def main(root):
    root = pathlib.Path(root).resolve()
    compilers = [compiler for compiler in ("gcc", "clang") if shutil.which(compiler)]
    if platform.machine() != "x86_64" or not shutil.which("objdump") or not compilers:
        return SKIPPED
    bad = 0
    with tempfile.TemporaryDirectory(prefix="cairn-site-") as directory:
        for compiler in compilers:
            for what in wrong(compiler, root, pathlib.Path(directory)):
                bad += 1
                print(f"{compiler}: {what}")
    return bad


if __name__ == "__main__":
    sys.exit(1 if (status := main(*sys.argv[1:])) not in (0, SKIPPED) else status)
