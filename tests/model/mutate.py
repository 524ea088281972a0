#!/usr/bin/env python3
"""Copies a source with one piece of it replaced, for tests that have to find the difference.

usage: mutate.py SOURCE COPY OLD NEW

OLD has to be there exactly once.
"""
import pathlib
import sys


def main(source, copy, old, new):
    text = pathlib.Path(source).read_text()
    if text.count(old) != 1:
        sys.exit(f"{source}: {text.count(old)} times {old!r}")
    pathlib.Path(copy).write_text(text.replace(old, new))


if __name__ == "__main__":
    main(*sys.argv[1:])
