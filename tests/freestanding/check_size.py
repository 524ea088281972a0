#!/usr/bin/env python3
"""The core library is small enough for a kernel: its text, as `size -t` sums it up, has at most so many bytes. That is all
that is only read: machine code, constants, and tables for unwinding if there were any.

usage: check_size.py SIZE LIBRARY MOST_BYTES [over]

With "over", it must have more: so the check is checked itself.
"""
import re
import subprocess
import sys


def main(size, library, most, over=None):
    table = subprocess.run([size, "-t", library], check=True, capture_output=True, text=True).stdout
    text = int(re.search(r"^\s*(\d+).*\(TOTALS\)$", table, re.M)[1])
    print(f"{text} of {most} bytes of text")
    return text <= int(most) if over else not 0 < text <= int(most)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
