#!/usr/bin/env python3
"""Prints and counts the results of the tests in the guest.

usage: report.py GUEST_STATUS RESULTS PROGRAM...

RESULTS is the directory that tests/vm/guest.sh filled. Ends with `N passed, N failed, N skipped`; exits with 1 if a test failed,
crashed, or did not end.
"""
import pathlib
import re
import sys

LINE = re.compile(r"^(?P<verdict>ok|not ok) \d+ (- )?(?P<name>[^#]*?)\s*(?P<skip># SKIP.*)?$")


def results_of(output):
    """The (verdict, name) of each test in a TAP text."""
    for match in filter(None, map(LINE.match, output.splitlines())):
        verdict = "skipped" if match["skip"] else "passed" if match["verdict"] == "ok" else "failed"
        yield verdict, match["name"] or match["skip"] or "without a name"


def results_of_program(results, program):
    """The same for a program, also one that crashed or did not end, and its output."""
    status, output = results / f"{program}.status", results / f"{program}.out"
    text = output.read_text(errors="replace") if output.exists() else ""
    found = list(results_of(text))
    if not status.exists():
        found.append(("failed", "did not end"))
    elif int(status.read_text()) and all(verdict != "failed" for verdict, _ in found):
        found.append(("failed", f"exit status {status.read_text().strip()}"))
    elif not found:
        found.append(("failed", "ran no test"))
    return found, text


def main(guest_status, results, *programs):
    count = dict.fromkeys(("passed", "failed", "skipped"), 0)
    for program in (pathlib.PurePath(p).name for p in programs):
        found, text = results_of_program(pathlib.Path(results), program)
        for verdict, name in found:
            count[verdict] += 1
            print(f"{verdict:8}{program}: {name}")
        if any(verdict == "failed" for verdict, _ in found):
            print("".join(f"    | {line}\n" for line in text.splitlines()[-40:]), end="")
    if guest_status != "0":
        count["failed"] += 1
        print(f"failed  the guest: status {guest_status} (tests/vm/boot.sh explains it)")
    print(", ".join(f"{number} {verdict}" for verdict, number in count.items()))
    return count["failed"] > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
