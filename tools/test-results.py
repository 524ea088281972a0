#!/usr/bin/env python3
"""Prints the tests that failed, with the end of their output, and counts the results of one or more runs of meson.

usage: test-results.py LOG...

LOG is the meson-logs/testlog.json of a build directory. Ends with `N passed, N failed, N skipped`; exits with 1 if a test failed.
"""
import json
import sys

VERDICTS = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}
LINES_OF_FAILED = 40


def tests_of(log):
    with open(log, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def print_failed(test):
    print(f"failed  {test['name']} ({test['result'].lower()}, {test['duration']:.1f} s)")
    output = (test.get("stdout", "") + test.get("stderr", "")).splitlines()
    print("".join(f"    | {line}\n" for line in output[-LINES_OF_FAILED:]), end="")


def main(*logs):
    count = dict.fromkeys(("passed", "failed", "skipped"), 0)
    for test in (test for log in logs for test in tests_of(log)):
        verdict = VERDICTS.get(test["result"], "failed")
        count[verdict] += 1
        if verdict == "failed":
            print_failed(test)
    print(", ".join(f"{number} {verdict}" for verdict, number in count.items()))
    return count["failed"] > 0 or sum(count.values()) == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
