#!/usr/bin/env python3
"""The core library is small enough for a kernel: its text, as `size -t` adds it up, has at most MAX_BYTES. Text is everything
that is read only: machine code, constants, and unwind tables if there were any.

usage: check_size.py SIZE LIBRARY MAX_BYTES [over]

With "over", it must have more, which tests the check itself.
"""
import re
import subprocess
import sys


def main(size, library, size_max, over=None):
    table = subprocess.run([size, "-t", library], check=True, capture_output=True, text=True).stdout
    text = int(re.search(r"^\s*(\d+).*\(TOTALS\)$", table, re.M)[1])
    print(f"{text} of {size_max} bytes of text")
    return text <= int(size_max) if over else not 0 < text <= int(size_max)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
