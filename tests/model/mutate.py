#!/usr/bin/env python3
"""Copies a source with one piece of text replaced, for tests that must find the difference.

usage: mutate.py SOURCE COPY OLD NEW

OLD must occur exactly once.
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
