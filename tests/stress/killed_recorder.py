#!/usr/bin/env python3
"""Kills the recorder of a session at random moments, KILLS times, while programs write numbered events, and replaces it each time.
Together the files have each event exactly once, and each of them can be read alone.

usage: killed_recorder.py CAIRN EMIT KILLS [-w WRITERS] [-s SECONDS] [-l LIMIT] [--seed SEED] [--] [OPTION...]

OPTION is one of cairn record. With -s the kills are spread over SECONDS; with -l the files have at most LIMIT bytes, the
earliest events are missing, and no other.
"""
import argparse
import glob
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

LOG = "recorder.log"
EVENTS_PER_SECOND = 32000  # of a writer: emit NAME COUNT pace


def fail(text):
    print(text)
    sys.exit(1)


class Files:
    """The files of the recording, and their largest size."""

    def __init__(self, limit):
        self.limit = limit
        self.largest = 0

    def names(self):
        return sorted(glob.glob("kept.[0-9]*.cairn")) + ["kept.cairn"]

    def check_limit(self):
        size = 0
        for name in glob.glob("kept*"):
            try:
                size += os.stat(name).st_size
            except FileNotFoundError:
                pass
        self.largest = max(self.largest, size)
        if self.limit and size > self.limit:
            fail(f"{size} bytes: the limit is {self.limit}")


def numbers(cairn, names, writer):
    """The numbers of a writer's events in files, in their order."""
    out = subprocess.run([cairn, "decode", "-f", "csv", "--fields", "number", "-e", f"kept_{writer}", *names],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if out.returncode not in (0, 1, 4):  # the last block of a killed one is not whole; no such event
        fail(f"decode: exit status {out.returncode}: {out.stderr}")
    return [int(line.rsplit(",", 1)[-1]) for line in out.stdout.splitlines()[1:]]


def check_numbers(found, count, is_limited, writer):
    first = found[0] if is_limited and found else 0
    if found == list(range(first, count)):
        return
    for name in sorted(glob.glob("kept*")):
        print(name, os.stat(name).st_size)
    missing = sorted(set(range(first, count)) - set(found))
    twice = len(found) - len(set(found))
    fail(f"writer {writer}: {len(found)} of {count} events; missing {len(missing)}: {missing[:5]}, twice {twice}, "
         f"in order: {found == sorted(found)}")


def start(command):
    with open(LOG, "a", encoding="utf-8") as log:
        return subprocess.Popen(command, stderr=log)


def messages():
    return pathlib.Path(LOG).read_text(encoding="utf-8")


def kill_recorders(command, args, files):
    for _ in range(args.kills):
        recorder = start(command)
        time.sleep(random.random() * (2 * args.s / args.kills if args.s else 0.4))
        files.check_limit()
        if recorder.poll() is not None:
            fail(f"the recorder ended: {recorder.returncode} {messages()}")
        recorder.kill()
        recorder.wait()


def stop(cairn, recorder):
    """Stops the session: a recorder can be asked as soon as it has begun."""
    while recorder.poll() is None:
        subprocess.run([cairn, "session", "stop", "kept"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("cairn")
    parser.add_argument("emit")
    parser.add_argument("kills", type=int)
    parser.add_argument("-w", type=int, default=3)
    parser.add_argument("-s", type=float, default=0)
    parser.add_argument("-l", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    args, options = parser.parse_known_args()
    args.cairn, args.emit = os.path.abspath(args.cairn), os.path.abspath(args.emit)
    options = [option for option in options if option != "--"]
    random.seed(args.seed)
    print(f"seed {args.seed}")
    seconds = args.s or args.kills * 0.2
    count = int(EVENTS_PER_SECOND * seconds)
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory(dir="/dev/shm") as tracing:
        os.chdir(directory)
        os.environ.update(CAIRN_TRACING_DIR=tracing, CAIRN_BACKEND="local")
        files = Files(args.l)
        command = [args.cairn, "record", "-q", "--name", "kept", "-o", "kept.cairn", "-e", "kept_*", *options]
        command += ["--limit", str(args.l)] if args.l else []
        writers = [subprocess.Popen([args.emit, f"kept_{i}", str(count), "pace"]) for i in range(args.w)]
        kill_recorders(command, args, files)
        recorder = start(command)
        if any(writer.wait() for writer in writers):
            fail("a writer has failed")
        stop(args.cairn, recorder)
        files.check_limit()
        if recorder.returncode:
            fail(f"exit status {recorder.returncode}: {messages()}")
        alone = [sum((numbers(args.cairn, [name], i) for name in files.names()), []) for i in range(args.w)]
        together = [numbers(args.cairn, files.names(), i) for i in range(args.w)]
        for i in range(args.w):
            check_numbers(together[i], count, bool(args.l), i)
            if alone[i] != together[i]:
                fail(f"writer {i}: files read alone have other events")
        left = os.listdir(os.path.join(tracing, "sessions")) + os.listdir(os.path.join(tracing, "pools"))
        if left:
            fail(f"not removed: {left}")
        print(f"{args.kills} kills, {args.w * count} events in {len(files.names())} files, {files.largest} bytes at most")


if __name__ == "__main__":
    main()
