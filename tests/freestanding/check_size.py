#!/usr/bin/env python3
"""The core library is small enough for a kernel: its machine code, all of it, has at most so many bytes.

usage: check_size.py SIZE LIBRARY MOST_BYTES
"""
import re
import subprocess
import sys


def main(size, library, most):
    table = subprocess.run([size, "-A", library], check=True, capture_output=True, text=True).stdout
    text = sum(int(count) for count in re.findall(r"^\.text\S*\s+(\d+)", table, re.M))
    print(f"{text} of {most} bytes of code")
    return not 0 < text <= int(most)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
