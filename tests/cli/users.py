#!/usr/bin/env python3
"""In a shared tracing directory each user has a directory: root records all, the others record themselves.

usage: users.py BUILD_DIR

Needs root, to become other users; their numbers are nobody's. Exit status 77: skipped.
"""
import os
import pathlib
import shutil
import sys
import tempfile
import time

import people
from people import TRACERS, User, check


def expect_doctor(user, tracing, what, *texts):
    _, out = user.run(tracing, "cairn", "doctor")
    lines = out.splitlines()
    at = next((i for i, line in enumerate(lines) if " local " in line), 0)
    printed = "\n    ".join(lines[at:at + 3])
    check(f"doctor: {what}", all(text in printed for text in texts), printed)


def reads_text(reader, writer, tracing, what):
    """`reader` enables an event of `writer`, and reads it as text."""
    example = writer.start(tracing, "cairn", "run", "-q", "--backend=local", "--", "v4_example", "1")
    reader.sees(tracing, "test", "cairn", "list")
    _, out = reader.run(tracing, "cairn", "run", "-q", "--backend=local", "--", "sh", "-ec",
                        "T=/sys/kernel/tracing; echo 1 > $T/events/user_events/test/enable; n=0; "
                        "until grep -m 1 'test: count=' $T/trace || test $n = 500; do n=$((n + 1)); sleep 0.1; done; "
                        "echo 0 > $T/events/user_events/test/enable")
    written, _ = example.communicate(timeout=600)
    check(what, "test: count=" in out and "a text reader attached, got events, and detached" in written, out + written)


def in_a_shared_directory(root, alice, bob, carol, tracing):
    """Each user has a directory in the shared one; root records all of them."""
    expect_doctor(alice, tracing, "a shared directory", f"{tracing}/{alice.number} (yours alone, in a shared directory)")
    expect_doctor(carol, tracing, "not in the group", f"{tracing} is not accessible to you", f"usermod -a -G {TRACERS} {carol.number}; then log in again")

    alice.run(tracing, "emit", "registered_first", "0")  # so that the same event has another number in each directory
    session = root.record(tracing, "*")
    for user, name in (alice, "by_both"), (alice, "by_alice"), (bob, "by_bob"), (bob, "by_both"), (root, "by_root"):
        user.run(tracing, "emit", name, "5")
    carol.run(tracing, "emit", "by_carol", "5")
    events = root.recorded(session)
    check("root records all users of the group, also those whose first program comes later",
          {name: events.count(name) for name in set(events)} == {"by_both": 10, "by_alice": 5, "by_bob": 5, "by_root": 5}, events)

    _, out = root.run(None, "cairn", "decode", "-f", "jsonl", "data")
    check("the same event of two users is one tracepoint", out.count('"number": 4') == 5 or out.count('"number":4') == 5, out)

    program = bob.start(tracing, "emit", "by_bob", "5", "wait")
    bob.sees(tracing, "by_bob", "cairn", "list")
    check("root lists what another user has", "by_bob" in root.run(tracing, "cairn", "list", "-f")[1])
    check("another user does not", "by_bob" not in alice.run(tracing, "cairn", "list")[1])
    session = alice.record(tracing, "*")
    alice.run(tracing, "emit", "by_alice", "5")
    events = alice.recorded(session)
    check("a user records that user's own programs", events == ["by_alice"] * 5, events)
    check("and cannot read another one's files", not alice.readable(bob.own(tracing)), alice.readable(bob.own(tracing)))
    program.kill()
    program.communicate()
    check("who is not in the group cannot record", carol.record(tracing, "*") is None)
    check("nor list", carol.run(tracing, "cairn", "list")[0] != 0)
    check("nor read any file", not carol.readable(tracing), carol.readable(tracing))

    program = bob.start(tracing, "emit", "by_bob", "1", "follow")
    session = root.record(tracing, "*")
    out = bob.sees(tracing, "by_bob # Used by perf", "cairn", "status")
    check("another user's event is in use", "by_bob # Used by perf" in out, out + session.stdout.read() if session.poll() else out)
    session.kill()
    printed, _ = program.communicate(timeout=600)
    check("a user's program notices that root's recorder was killed", printed == "disabled\n", printed)
    check("the next recorder removes its announcement", root.recorded(root.record(tracing, "*")) == [] and
          not list(tracing.glob("recorder.*")), list(tracing.iterdir()))
    check("no files are left", not [*tracing.glob("*/processes/*"), *tracing.glob("*/pools/*"), *tracing.glob("*/sessions/*")])


def opened_to_the_group(alice, bob, tracing):
    """A user may let the group's members record."""
    bob.run(tracing, "cairn", "list")
    code, out = bob.run(tracing, "chmod", "-R", "g+rwX", str(bob.own(tracing)))
    check("the owner can open a directory to the group", code == 0, out)
    expect_doctor(bob, tracing, "one's own, open to its group", f"{bob.own(tracing)} (yours, open to its group, {TRACERS})")
    program = bob.start(tracing, "emit", "by_bob", "5", "wait")
    bob.sees(tracing, "by_bob", "cairn", "list")
    session = alice.record(tracing, "*")
    program.communicate(timeout=600)
    events = alice.recorded(session)
    check("then members record that user's programs", events == ["by_bob"] * 5, events)


def with_raised_privileges(alice, bob):
    """A set-user-ID program of alice's that bob runs."""
    program = alice.directory / "emit"
    shutil.copy(alice.build / "tests/cli/emit", program)
    os.chown(program, alice.number, alice.number)
    program.chmod(0o4755)
    alice.directory.chmod(0o755)
    mine = bob.directory / "chosen"
    mine.mkdir(mode=0o777)
    mine.chmod(0o755)
    os.chown(mine, alice.number, alice.number)
    code, out = bob.run(mine, str(program), "by_alice", "1")
    ran = code == 0 or "LeakSanitizer has encountered" in out  # which cannot look into such a program
    check("a program with raised privileges ignores the environment", ran and not list(mine.iterdir()), f"{code} {out} {list(mine.iterdir())}")
    alice.directory.chmod(0o700)


def shared_by_a_group(root, alice, bob, carol, tracing):
    tracing.mkdir(mode=0o700)
    expect_doctor(alice, tracing, "root's own directory", f"{tracing} is not accessible to you", f"chgrp tracers '{tracing}'", f"chmod 3770 '{tracing}'",
                  "groupadd -rf tracers", f"usermod -a -G tracers {alice.number}")
    os.chown(tracing, 0, TRACERS)
    tracing.chmod(0o2770)
    expect_doctor(alice, tracing, "one without the sticky bit", "users can rename each other's directories", f"chmod +t '{tracing}'")
    tracing.chmod(0o3770)  # as doctor says
    in_a_shared_directory(root, alice, bob, carol, tracing)
    reads_text(bob, bob, tracing, "bob enables an event of his, and reads it in trace")
    opened_to_the_group(alice, bob, tracing)


def without_a_group(alice, bob):
    theirs = bob.directory / "cairn"
    session = alice.record(None, "*")
    program = bob.start(None, "emit", "by_bob", "5", "wait")
    bob.sees(None, "by_bob", "cairn", "list")
    check("alice does not see what bob has", "by_bob" not in alice.run(None, "cairn", "list")[1])
    check("nor record it", not alice.recorded(session))
    check("nor read any file", not alice.readable(theirs), alice.readable(theirs))
    check("bob does", "by_bob" in bob.run(None, "cairn", "list")[1] and bob.readable(theirs))
    program.kill()
    program.communicate()
    expect_doctor(bob, None, "one's own directory", f"{theirs} (yours alone)")
    expect_doctor(alice, theirs, "another one's directory", f"{theirs} is in a directory that is not accessible to you", "install -d -g tracers -m 3770 /run/cairn")
    check("alice cannot record in bob's directory", alice.record(theirs, "*") is None)
    bob.directory.chmod(0o755)
    expect_doctor(alice, theirs, "another one's directory, found", f"{theirs} is not accessible to you", "install -d -g tracers -m 3770 /run/cairn")
    check("nor read any file there", not alice.readable(theirs), alice.readable(theirs))


def owned_by_a_user(alice, bob, tracing):
    """The owner of a directory can add and remove files in it: only root is trusted with the events of others."""
    tracing.mkdir()
    os.chown(tracing, alice.number, TRACERS)
    tracing.chmod(0o2770)
    expect_doctor(alice, tracing, "one's own, shared", f"{tracing} (yours, open to its group, {TRACERS})")
    expect_doctor(bob, tracing, "another one's, shared", f"{tracing} belongs to another user")
    check("bob does not use a directory of alice's", bob.record(tracing, "*") is None)
    tracing.chmod(0o777)
    expect_doctor(alice, tracing, "open to all", f"{tracing} is writable by all users", f"chmod o-w '{tracing}'")


def main(build):
    if os.geteuid():
        print("skipped: only root can become other users")
        return 77
    with tempfile.TemporaryDirectory(prefix="cairn-users-") as text:
        directory = pathlib.Path(text)
        directory.chmod(0o755)
        alice, bob = (User(number, [TRACERS], directory, build) for number in (61001, 61002))
        carol = User(61003, [], directory, build)
        try:
            alice.run(None, "cairn", "--version")
        except OSError as error:
            print(f"skipped: other users cannot run the programs in {build}: {error}")
            return 77
        try:
            shared_by_a_group(User(0, [], directory, build), alice, bob, carol, directory / "shared")
            without_a_group(*(User(number, [], directory, build) for number in (61004, 61005)))
            with_raised_privileges(alice, bob)
            owned_by_a_user(alice, bob, directory / "alices")
        finally:
            people.end_all()
    return people.failed()


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
