#!/usr/bin/env python3
"""The core library's code for x86-64 can run in a kernel: no vector registers, and nothing below the stack pointer, where an
interrupt would put its own.

usage: check_kernel_code.py OBJDUMP LIBRARY
"""
import re
import subprocess
import sys

SPOILED = re.compile(r"%[xyz]mm\d|%st\b|-0x[0-9a-f]+\(%rsp")


def main(objdump, library):
    code = subprocess.run([objdump, "-d", library], check=True, capture_output=True, text=True).stdout.splitlines()
    bad = [line for line in code if SPOILED.search(line)]
    print("\n".join(bad[:20]))
    print(f"{len(code)} lines of code, {len(bad)} bad")
    return bool(bad) or not code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
