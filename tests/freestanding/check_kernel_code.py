#!/usr/bin/env python3
"""The core library's code for x86-64 can run in a kernel: it uses no vector registers, and no memory below the stack pointer,
which an interrupt overwrites.

usage: check_kernel_code.py OBJDUMP LIBRARY [FUNCTION...]

With FUNCTIONs, exactly these must have such code, which tests the check itself.
"""
import re
import subprocess
import sys

TITLE = re.compile(r"[0-9a-f]+ <(\w+)>:$")
SPOILED = re.compile(r"%[xyz]mm\d|%st\b|-0x[0-9a-f]+\(%rsp")


def bad_lines(code):
    """(function, line) of each line that cannot run in a kernel."""
    function = None
    for line in code:
        if title := TITLE.match(line):
            function = title[1]
        if SPOILED.search(line):
            yield function, line


def main(objdump, library, *expected):
    code = subprocess.run([objdump, "-d", library], check=True, capture_output=True, text=True).stdout.splitlines()
    bad = list(bad_lines(code))
    print("\n".join(f"{function}: {line}" for function, line in bad[:20]))
    print(f"{len(code)} lines of code, {len(bad)} bad")
    return {function for function, _ in bad} != set(expected) or not code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
