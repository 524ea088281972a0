#!/usr/bin/env python3
"""The core library is freestanding: it needs only functions that compilers call by themselves, and has no writable data except
what its README names, under "Writable data", as "- `symbol`: why".

usage: check.py CC NM LIBRARY README [SYMBOL...]

With SYMBOLs, exactly these must be wrong with the library, which tests the check itself.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# gcc and clang emit calls of these four even for freestanding code. The last is defined by the linker.
ALLOWED = {"memcpy", "memmove", "memset", "memcmp", "_GLOBAL_OFFSET_TABLE_"}


def symbols(cc, nm, library):
    """(name, class, section) of every symbol, after all objects of the library are linked into one."""
    with tempfile.TemporaryDirectory() as directory:
        linked = pathlib.Path(directory, "linked.o")
        subprocess.run([*cc, "-nostdlib", "-r", "-o", linked, "-Wl,--whole-archive", library], check=True)
        table = subprocess.run([nm, "--format=sysv", linked], check=True, capture_output=True, text=True).stdout
    rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines()]
    return [(row[0], row[2], row[6]) for row in rows if len(row) == 7 and len(row[2]) == 1]


def is_writable(kind, section):
    """True for writable data, also weak. .data.rel.ro is not: it has constants with addresses, which only the loader writes."""
    return kind in "dDbBcCgGsSV" and not section.startswith((".data.rel.ro", ".rodata"))


def named_in(readme):
    """The symbols that the README's section "Writable data" lists."""
    section = re.search(r"^## Writable data\n(.*?)(?=^## |\Z)", readme.read_text(), re.M | re.S)
    if not section:
        sys.exit(f'{readme}: no section "Writable data"')
    return set(re.findall(r"^- `(\w+)`", section[1], re.M))


def main(cc, nm, library, readme, *expected):
    found = symbols(cc.split(), nm, library)
    named = named_in(pathlib.Path(readme))
    undefined = {name for name, kind, _ in found if kind in "Uwv"}
    writable = {name for name, kind, section in found if is_writable(kind, section)}
    bad = {name: "not defined in the library" for name in undefined - ALLOWED}
    bad |= {name: f"writable data that {readme} does not name" for name in writable - named}
    bad |= {name: f"named in {readme}, but no writable data" for name in named - writable if not expected}
    functions = sum(kind in "tT" for _, kind, _ in found)
    print("\n".join(f"{name}: {why}" for name, why in sorted(bad.items())))
    print(f"{functions} functions, {len(writable)} writable objects, {len(bad)} wrong")
    return set(bad) != set(expected) or not functions


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
