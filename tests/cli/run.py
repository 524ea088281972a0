#!/usr/bin/env python3
"""Runs the commands in the transcript of a shell, and compares their output.

usage: run.py BUILD_DIR TRANSCRIPT.t

A transcript has prose, and commands with their output, which are indented by two spaces. The output includes standard error:

  $ cairn frobnicate
  cairn: no such verb: frobnicate
  * (glob)
  [2]

`  > ` continues a command; ` (glob)` at a line's end makes each * in it match anything, ` (re)` makes it a pattern; `[N]` is an exit status other than 0. Each
transcript runs in a directory of its own, with a tracing directory of its own in memory and the local backend. Commands wait with
the functions of steps.sh: fixed sleeps fail on slow machines. `cairn run` loads a library unless CAIRN_RUN_TRANSPORT is set; with
the value mount the test is skipped where nothing can be mounted. With CAIRN_TEST_NEEDS="kernel events" it is skipped where these
cannot be recorded.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from kernel_events import can_record  # noqa: E402
from mounting import SKIP, can_mount  # noqa: E402


def parse(path):
    """Yields (line number, command, expected lines)."""
    step = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("  $ "):
            if step:
                yield step
            step = (number, line[4:], [])
        elif line.startswith("  > ") and step and not step[2]:
            step = (step[0], step[1] + "\n" + line[4:], [])
        elif line.startswith("  ") and step:
            step[2].append(line[2:])
        elif step:
            yield step
            step = None
    if step:
        yield step


def run(command, env, cwd):
    """The lines that a command prints, followed by its exit status if that is not 0."""
    done = subprocess.run(["bash", "-c", command], env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, check=False)
    lines = done.stdout.decode("utf-8").splitlines()
    return lines + ([f"[{done.returncode}]"] if done.returncode else [])


def alike(expected, actual):
    if expected.endswith(" (glob)"):
        return re.fullmatch(re.escape(expected[:-7]).replace(r"\*", ".*"), actual) is not None
    if expected.endswith(" (re)"):
        return re.fullmatch(expected[:-5], actual) is not None
    return expected == actual


def main(build, transcript):
    if os.environ.get("CAIRN_TEST_NEEDS") == "kernel events" and not can_record():
        return SKIP
    build = pathlib.Path(build).resolve()
    transcript = pathlib.Path(transcript).resolve()
    if os.environ.setdefault("CAIRN_RUN_TRANSPORT", "preload") == "mount" and not can_mount(build / "cairn"):
        return SKIP
    failures = 0
    steps = 0
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="cairn-cli-") as directory, \
            tempfile.TemporaryDirectory(prefix="cairn-cli-", dir=memory, ignore_cleanup_errors=True) as tracing:
        env = dict(os.environ, PATH=f"{build}:{build}/examples:{build}/tests/cli:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                   CAIRN_TRACING_DIR=f"{tracing}/tracing", CAIRN_BACKEND="local", TESTDIR=str(transcript.parent),
                   BASH_ENV=str(transcript.parent / "steps.sh"),
                   # cairn run loads a library before AddressSanitizer's, which checks that it is the first.
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
        cwd = pathlib.Path(directory, "work")
        cwd.mkdir()
        for number, command, expected in parse(transcript):
            actual = run(command, env, cwd)
            steps += 1
            if len(actual) == len(expected) and all(map(alike, expected, actual)):
                continue
            failures += 1
            print(f"{transcript.name}:{number}: $ {command}")
            print("expected:", *expected, sep="\n  ")
            print("actual:", *actual, sep="\n  ")
    print(f"{steps - failures} of {steps} commands as expected")
    return bool(failures) or not steps


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
