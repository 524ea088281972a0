#!/usr/bin/env python3
"""Many programs at once under a mount with the accelerator: each event is recorded, lost and counted, or refused; also if the
server of the mount is killed while they write. They are a thousand if everything is tried (tests/extent.py).

usage: crowd.py CAIRN PROGRAM
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from accelerator import server_of  # noqa: E402
from extent import size  # noqa: E402
from mounting import SKIP, can_mount  # noqa: E402

PROGRAMS = size(1000, 100)
EVENTS = size(20, 50)
LIMIT = 200
SECONDS = EVENTS * 0.01  # a program pauses for 10 ms after each event


def check(cairn, crowd, directory, kills):
    """Returns the numbers of events that were written, refused and recorded or lost."""
    data = f"{directory}/events.data"
    recorder = subprocess.Popen([cairn, "record", "-e", "crowd", "-o", data], stderr=subprocess.PIPE, text=True)
    recorder.stderr.readline()
    programs = subprocess.Popen([cairn, "run", "-q", "--backend=local", "--transport=mount", "--",
                                 crowd, str(PROGRAMS), str(EVENTS)], stdout=subprocess.PIPE, text=True)
    assert programs.stdout.readline() == "begun\n"
    if kills:
        time.sleep(random.uniform(0, SECONDS / 2))
        os.kill(server_of(crowd), signal.SIGKILL)
    said, _ = programs.communicate(timeout=LIMIT)
    assert programs.returncode == 0, said
    written, refused = map(int, re.fullmatch(r"written (\d+) refused (\d+)\n", said).groups())
    recorder.send_signal(signal.SIGINT)
    _, report = recorder.communicate(timeout=LIMIT)
    decoded = subprocess.run([cairn, "decode", "-f", "jsonl", data], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=False)
    recorded = decoded.stdout.count('"number"')
    return written, refused, recorded + int(re.search(r" lost (\d+)\.", report).group(1)), report


def main(cairn, crowd):
    if not can_mount(cairn):
        return SKIP
    for kills in (False, True):
        with tempfile.TemporaryDirectory(prefix="cairn-run-", ignore_cleanup_errors=True) as directory:
            os.environ["CAIRN_TRACING_DIR"] = f"{directory}/tracing"
            written, refused, stored, report = check(os.path.abspath(cairn), os.path.abspath(crowd), directory, kills)
        print(f"{'killed: ' if kills else ''}{written} written, {refused} refused, {stored} recorded or lost")
        assert written + refused == PROGRAMS * EVENTS
        # The server may be killed between an event and its reply: this one is recorded, and the program got an error.
        assert written <= stored <= written + kills, report
        # On a machine that is too busy the recorder is silent for seconds: programs then find the event disabled.
        assert written and (kills or not refused or "programs stopped writing" in report), report
        assert refused or not kills, "the server was killed when all had written"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
