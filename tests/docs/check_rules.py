#!/usr/bin/env python3
"""Each rule in docs/tracing-rules.md names tests that exist and run.

usage: check_rules.py SOURCE_ROOT
"""
import pathlib
import re
import sys


def main(root):
    tests = set()
    for file in (root / "tests/unit").glob("test_tracing_*.c"):
        text = file.read_text()
        tests |= set(re.findall(r"^static void (\w+)\(void \*\*state\)$", text, re.M)) & \
            set(re.findall(r"(?:cmocka_unit_test|LISTENED|SILENT)\((\w+)\)", text))
    rows = [line.strip("|").split("|") for line in (root / "docs/tracing-rules.md").read_text().splitlines()
            if line.startswith("| ") and not line.startswith(("| rule", "| ---"))]
    bad = [f"not three columns: {row}" for row in rows if len(row) != 3]
    bad += [f"no test shows: {row[0].strip()}" for row in rows if not re.search(r"`\w+`", row[1])]
    bad += [f"no such test: {name}" for row in rows for name in re.findall(r"`(\w+)`", row[1]) if name not in tests]
    print("\n".join(bad) or f"{len(rows)} rules, {len(tests)} tests")
    return bool(bad) or not rows


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
