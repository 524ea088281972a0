#!/usr/bin/env python3
"""Each statement in docs/security.md, and each class of defects in docs/testing.md, names tests that exist.

usage: check_security.py SOURCE_ROOT

`name` is a function of a test, a program or a file of the tests, or a fuzzer; "text" is the name of a check in a Python test.
"""
import pathlib
import re
import sys


def rows_of(page):
    """The rows of tables whose last column names tests."""
    in_table = False
    for line in page.read_text().splitlines():
        if not line.startswith("| "):
            in_table = False
        elif line.rstrip().endswith("| shown by |"):
            in_table = True
        elif in_table and not line.startswith("| ---"):
            yield line.strip("|").split("|")


def main(root):
    tests = root / "tests"
    known = {name for file in tests.rglob("*.c")
             for name in re.findall(r"(?:^(?:__attribute__\(\(unused\)\) )?static void |CHANGED\()(?:test_)?(\w+)[(,]", file.read_text(), re.M)}
    known |= {name for file in tests.glob("cli/*.py") for name in re.findall(r"^def (\w+)", file.read_text(), re.M)}
    known |= {file.stem for directory in ("tests", "fuzz") for file in (root / directory).rglob("*.c")}
    known |= {file.name for suffix in ("py", "t") for file in tests.rglob(f"*.{suffix}")}
    checks = "\n".join(file.read_text() for file in tests.glob("cli/*.py"))
    rows = [row for page in ("security.md", "testing.md") for row in rows_of(root / "docs" / page)]
    bad = [f"not two columns: {row}" for row in rows if len(row) != 2]
    for row in rows:
        names = re.findall(r"`([\w.-]+)`", row[-1])
        texts = re.findall(r'"([^"]+)"', row[-1])
        bad += [] if names or texts else [f"no test shows: {row[0].strip()}"]
        bad += [f"no such test: {name}" for name in names if name not in known]
        bad += [f"no such check: {text}" for text in texts if text not in checks and text.removeprefix("doctor: ") not in checks]
    print("\n".join(bad) or f"{len(rows)} statements")
    return bool(bad) or not rows


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
