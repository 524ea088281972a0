#!/usr/bin/env python3
"""Two users with a shared tracing directory and a group can trace each other; who is not in the group sees nothing.

usage: users.py BUILD_DIR

Needs root, to become other users; their numbers are nobody's. Exit status 77: skipped.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

TRACERS = 61100  # the group
failures = 0
programs = []  # that were started


def check(what, good, told=""):
    global failures
    print(f"{'ok' if good else 'not ok'} - {what}" + (f"\n    {told}" if not good else ""))
    failures += not good


class User:
    """Somebody with a folder, and perhaps a tracing directory, of his own."""

    def __init__(self, number, groups, folder, build):
        self.number = number
        self.groups = groups
        self.folder = folder / str(number)
        self.build = build
        self.folder.mkdir(mode=0o700)
        os.chown(self.folder, number, number)

    def start(self, tracing, *command):
        env = {"PATH": f"{self.build}:{self.build}/tests/cli:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "CAIRN_BACKEND": "local",
               "XDG_RUNTIME_DIR": str(self.folder),
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        if tracing:
            env["CAIRN_TRACING_DIR"] = str(tracing)
        programs.append(subprocess.Popen(command, cwd=self.folder, env=env, user=self.number, group=self.number,
                                         extra_groups=self.groups, umask=0o077, text=True, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT))
        return programs[-1]

    def run(self, tracing, *command):
        """(exit status, output)"""
        program = self.start(tracing, *command)
        out, _ = program.communicate(timeout=600)
        return program.returncode, out

    def record(self, tracing, pattern):
        """A recorder that has begun; None: it could not."""
        sessions = pathlib.Path(tracing or self.folder / "cairn", "sessions")
        before = set(sessions.glob("*"))
        program = self.start(tracing, "cairn", "record", "-q", "-e", pattern, "-o", "data")
        for _ in range(100000):
            if program.poll() is not None:
                return None
            if set(sessions.glob("*")) - before:
                return program
            time.sleep(0.002)
        sys.exit("a recorder does not begin")

    def sees(self, tracing, what, *command):
        """Waits until the command's output has this text; the output."""
        for _ in range(5000):
            _, out = self.run(tracing, *command)
            if what in out:
                break
            time.sleep(0.02)
        return out

    def recorded(self, recorder):
        """Ends it; the names of the events that it has."""
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=600)
        code, out = self.run(None, "cairn", "decode", "-f", "jsonl", "data")
        if code:
            sys.exit(f"what was recorded cannot be read: {out}")
        return [json.loads(line)["event"] for line in out.splitlines()]

    def readable(self, tracing):
        """What of the files in a folder this user can open."""
        _, out = self.run(None, "sh", "-c", 'find "$0" -type f -exec sh -c \'true < "$1" && echo "$1"\' - {} \\; 2> /dev/null; '
                          'for i in registry lock user_events_status trace; do true < "$0/$i" && echo $i; done 2> /dev/null',
                          str(tracing))
        return out.split()


def expect_doctor(user, tracing, what, *texts):
    _, out = user.run(tracing, "cairn", "doctor")
    lines = out.splitlines()
    at = next((i for i, line in enumerate(lines) if " local " in line), 0)
    told = "\n    ".join(lines[at:at + 2])
    check(f"doctor: {what}", all(text in told for text in texts), told)


def traces(recorder, writer, tracing, what):
    """The one records what the other writes, with cairn's own interface and with the kernel's."""
    session = recorder.record(tracing, "*")
    if not session:
        check(what, False, "the recorder cannot begin")
        return
    writer.run(tracing, "emit", "by_cairn", "5")
    example = writer.start(tracing, "cairn", "run", "-q", "--backend=local", "--", "v4_example", "1")
    out = recorder.sees(tracing, "test # Used by perf", "cairn", "status")
    check(what + ": in the status text", "test # Used by perf" in out, out)
    events = recorder.recorded(session)
    example.communicate(timeout=600)
    check(what + ": by cairn", events.count("by_cairn") == 5, events)
    check(what + ": by the kernel's interface", "test" in events, events)


def reads_text(reader, writer, tracing, what):
    """The one enables an event of the other's, and reads it as text."""
    example = writer.start(tracing, "cairn", "run", "-q", "--backend=local", "--", "v4_example", "1")
    reader.sees(tracing, "test", "cairn", "list")
    _, out = reader.run(tracing, "cairn", "run", "-q", "--backend=local", "--", "sh", "-ec",
                        "cd /sys/kernel/tracing; echo 1 > events/user_events/test/enable; n=0; "
                        "until grep -m 1 'test: count=' trace || test $n = 500; do n=$((n + 1)); sleep 0.1; done; "
                        "echo 0 > events/user_events/test/enable")
    written, _ = example.communicate(timeout=600)
    check(what, "test: count=" in out and "a text reader came, took events, and went" in written, out + written)


def shared_by_a_group(alice, bob, carol, tracing):
    tracing.mkdir(mode=0o700)
    expect_doctor(alice, tracing, "root's own folder", f"{tracing} is not open to you", f"chgrp tracers '{tracing}'", f"chmod 2770 '{tracing}'",
                  "groupadd -rf tracers", f"usermod -a -G tracers {alice.number}")
    os.chown(tracing, 0, TRACERS)
    tracing.chmod(0o2770)  # as told
    expect_doctor(alice, tracing, "a shared folder", f"{tracing} (shared with its group, {TRACERS})")
    expect_doctor(carol, tracing, "not in the group", f"{tracing} is not open to you", f"usermod -a -G {TRACERS} {carol.number}; then log in again")
    traces(alice, bob, tracing, "alice records bob")
    traces(bob, alice, tracing, "bob records alice")
    reads_text(alice, bob, tracing, "alice enables what bob has, and reads it in trace")
    reads_text(bob, alice, tracing, "bob enables what alice has, and reads it in trace")

    session = alice.record(tracing, "*")
    code, _ = carol.run(tracing, "emit", "by_carol", "5")
    check("who is not in the group runs on, and is not recorded", "by_carol" not in alice.recorded(session))
    check("who is not in the group cannot record", carol.record(tracing, "*") is None)
    check("nor list", carol.run(tracing, "cairn", "list")[0] != 0)
    check("nor read any file", not carol.readable(tracing), carol.readable(tracing))
    check("who is in it can", alice.readable(tracing))

    program = bob.start(tracing, "emit", "by_bob", "1", "follow")
    session = alice.record(tracing, "*")
    while "by_bob # Used by perf" not in alice.run(tracing, "cairn", "status")[1]:
        time.sleep(0.02)
    session.kill()
    told, _ = program.communicate(timeout=600)
    check("of a recorder that was killed the other's program finds out", told == "nobody listens\n", told)

    bob.start(tracing, "emit", "by_bob", "1", "kill").wait()
    _, out = alice.run(tracing, "cairn", "status")
    check("what one leaves who was killed, the other takes away", "Active: 0" in out, out)
    left = [p.name for p in tracing.glob("processes/*")] + [p.name for p in tracing.glob("pools/*")]
    check("with its files", not left, left)


def without_a_group(alice, bob):
    theirs = bob.folder / "cairn"
    session = alice.record(None, "*")
    program = bob.start(None, "emit", "by_bob", "5", "wait")
    bob.sees(None, "by_bob", "cairn", "list")
    check("alice does not see what bob has", "by_bob" not in alice.run(None, "cairn", "list")[1])
    check("nor record it", not alice.recorded(session))
    check("nor read any file", not alice.readable(theirs), alice.readable(theirs))
    check("bob does", "by_bob" in bob.run(None, "cairn", "list")[1] and bob.readable(theirs))
    program.kill()
    program.communicate()
    expect_doctor(bob, None, "one's own folder", f"{theirs} (yours alone)")
    expect_doctor(alice, theirs, "another one's folder", f"{theirs} is in a folder that is not open to you", "install -d -g tracers -m 2770 /run/cairn")
    check("alice cannot record in bob's folder", alice.record(theirs, "*") is None)
    bob.folder.chmod(0o755)
    expect_doctor(alice, theirs, "another one's folder, found", f"{theirs} is not open to you", "install -d -g tracers -m 2770 /run/cairn")
    check("nor read any file there", not alice.readable(theirs), alice.readable(theirs))


def owned_by_a_user(alice, bob, tracing):
    """Whoever owns a folder can put files there, and take them away: only root is trusted with others' events."""
    tracing.mkdir()
    os.chown(tracing, alice.number, TRACERS)
    tracing.chmod(0o2770)
    expect_doctor(alice, tracing, "one's own, shared", f"{tracing} (shared with its group, {TRACERS})")
    expect_doctor(bob, tracing, "another one's, shared", f"{tracing} belongs to another user")
    check("bob does not use a folder of alice's", bob.record(tracing, "*") is None)
    tracing.chmod(0o777)
    expect_doctor(alice, tracing, "open to all", f"{tracing} can be written to by anybody", f"chmod o-w '{tracing}'")


def main(build):
    if os.geteuid():
        print("skipped: only root can become other users")
        return 77
    with tempfile.TemporaryDirectory(prefix="cairn-users-") as text:
        folder = pathlib.Path(text)
        folder.chmod(0o755)
        alice, bob = (User(number, [TRACERS], folder, build) for number in (61001, 61002))
        carol = User(61003, [], folder, build)
        try:
            alice.run(None, "cairn", "--version")
        except OSError as error:
            print(f"skipped: other users cannot run the programs in {build}: {error}")
            return 77
        try:
            shared_by_a_group(alice, bob, carol, folder / "shared")
            without_a_group(*(User(number, [], folder, build) for number in (61004, 61005)))
            owned_by_a_user(alice, bob, folder / "alices")
        finally:
            for program in programs:
                program.kill()
    return bool(failures)


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
