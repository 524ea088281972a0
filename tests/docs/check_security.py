#!/usr/bin/env python3
"""Each statement in docs/security.md names tests that exist.

usage: check_security.py SOURCE_ROOT

`name` is a function of a test, a program of the tests, or a fuzzer; "text" is the name of a check in a Python test.
"""
import pathlib
import re
import sys


def main(root):
    tests = root / "tests"
    functions = {name for file in tests.rglob("*.c")
                 for name in re.findall(r"(?:^static void |CHANGED\()(\w+)[(,]", file.read_text(), re.M)}
    functions |= {name for file in tests.glob("cli/*.py") for name in re.findall(r"^def (\w+)", file.read_text(), re.M)}
    programs = {file.stem for directory in ("tests", "fuzz") for file in (root / directory).rglob("*.c")}
    checks = "\n".join(file.read_text() for file in tests.glob("cli/*.py"))
    lines = (root / "docs/security.md").read_text().splitlines()
    rows = [line.strip("|").split("|") for line in lines if line.startswith("| ") and not line.startswith(("| statement", "| ---"))]
    bad = [f"not two columns: {row}" for row in rows if len(row) != 2]
    for row in rows:
        names = re.findall(r"`(\w+)`", row[-1])
        texts = re.findall(r'"([^"]+)"', row[-1])
        bad += [] if names or texts else [f"no test shows: {row[0].strip()}"]
        bad += [f"no such test: {name}" for name in names if name not in functions | programs]
        bad += [f"no such check: {text}" for text in texts if text not in checks and text.removeprefix("doctor: ") not in checks]
    print("\n".join(bad) or f"{len(rows)} statements")
    return bool(bad) or not rows


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
