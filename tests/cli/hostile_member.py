#!/usr/bin/env python3
"""A hostile member of a shared directory's group cannot harm the others.

usage: hostile_member.py BUILD_DIR

docs/security.md lists these checks by name. Needs root, to become other users. Exit status 77: skipped.
"""
import contextlib
import fcntl
import os
import pathlib
import shutil
import struct
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import people  # noqa: E402
from extent import share, size  # noqa: E402
from people import TRACERS, User, check  # noqa: E402

MAPPED = ("registry", "user_events_status")


@contextlib.contextmanager
def acting_as(user):
    """Runs the body of a with statement with this user's privileges."""
    os.setegid(user.number)
    os.setgroups(user.groups)
    os.seteuid(user.number)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setgroups([])
        os.setegid(0)


def files_below(directory):
    for path, _, names in os.walk(directory):
        yield from (pathlib.Path(path, name) for name in names)


class Stage:
    """A shared directory, programs of root, alice and mallory that write all the time, and root's recorder."""

    def __init__(self, root, alice, mallory, directory):
        self.root, self.alice, self.mallory, self.tracing = root, alice, mallory, directory
        directory.mkdir()
        os.chown(directory, 0, TRACERS)
        directory.chmod(0o3770)
        for user in (root, alice, mallory):
            user.run(directory, "cairn", "list")
        self.session = None
        self.programs = {}

    def begin(self, *users):
        self.session = self.root.record(self.tracing, "by_*")
        self.programs = {user: user.start(self.tracing, "emit", f"by_{user.number}", "1", "follow")
                         for user in users or (self.root, self.alice, self.mallory)}
        for user in set(self.programs) - {self.mallory}:
            user.sees(self.tracing, "Used by perf", "cairn", "status")
        time.sleep(0.15)

    def end(self, what, *users):
        """Checks that root's and alice's events were recorded, and that their programs and the recorder work."""
        time.sleep(0.15)
        check(f"{what}: the recorder is there", self.session.poll() is None)
        self.session.send_signal(people.signal.SIGINT)
        printed, _ = self.session.communicate(timeout=60)
        check(f"{what}: the recorder ends", self.session.returncode in (0, 3), f"{self.session.returncode} {printed}")
        code, out = self.root.run(None, "cairn", "decode", "-f", "jsonl", "data")
        for user in users or (self.root, self.alice):
            program, _ = self.programs[user].communicate(timeout=60)
            check(f"{what}: the program of {user.number} continued, and its event was disabled when the recorder ended",
                  program == "disabled\n" and self.programs[user].returncode == 0, program)
            check(f"{what}: its events are recorded", not code and out.count(f'"by_{user.number}"') > 50,
                  f'{code} {out.count(f"by_{user.number}")}')
        return printed


def truncates(stage):
    stage.begin()
    with acting_as(stage.mallory):
        cut = []
        for path in [*files_below(stage.tracing), *(stage.tracing / name for name in MAPPED)]:
            with contextlib.suppress(OSError):
                os.truncate(path, 0)
                cut.append(path)
    check("a member can cut nobody else's files short", cut and all(str(stage.mallory.own(stage.tracing)) in str(p) for p in cut), cut)
    printed = stage.end("own files cut short")
    check("the recorder reports what it could not read",
          "could not be recorded" in printed or "not recorded" in printed or "lost" in printed, printed)
    shutil.rmtree(stage.mallory.own(stage.tracing))
    stage.mallory.run(stage.tracing, "cairn", "list")


def truncates_in_a_loop(stage):
    """Truncates files while sessions begin and end."""
    own = stage.mallory.own(stage.tracing)
    ends = set()
    for number in share(range(15), 0, 3):
        stage.mallory.run(stage.tracing, "cairn", "list")
        program = stage.mallory.start(stage.tracing, "emit", "by_mallory", "1", "follow")
        session = stage.root.record(stage.tracing, "*")
        time.sleep(0.002 * number)
        with acting_as(stage.mallory):
            for path in files_below(own):
                with contextlib.suppress(OSError):
                    os.truncate(path, (number % 3) * 4096)
        session.send_signal(people.signal.SIGINT)
        printed, _ = session.communicate(timeout=60)
        ends.add(session.returncode if session.returncode in (0, 3, 4) else (session.returncode, printed))
        program.kill()
        program.communicate()
        shutil.rmtree(own)
    check("recorders end by themselves whenever files are cut short", ends <= {0, 3, 4}, ends)


def writes_garbage(stage):
    own = stage.mallory.own(stage.tracing)
    stage.mallory.run(stage.tracing, "cairn", "list")
    for pattern in share((b"\xff", b"\x01", bytes(range(256)), None), 1, 2):
        stage.begin()
        with acting_as(stage.mallory):
            for path in files_below(own):
                size = min(path.stat().st_size, 1 << 20)
                with open(path, "r+b") as file:
                    # One pattern keeps the head valid, so that the rest is read.
                    file.seek(256 if pattern == b"\x01" else 0)
                    file.write((pattern or os.urandom(251)) * (size // len(pattern or bytes(251))))
        check("root can list", stage.root.run(stage.tracing, "cairn", "list")[0] == 0)
        stage.end(f"garbage {pattern[:2] if pattern else 'random'} in all of one's files")
        shutil.rmtree(own)
        stage.mallory.run(stage.tracing, "cairn", "list")


def links_elsewhere(stage, victim):
    """Root opens, creates and removes nothing through a link of mallory's."""
    own = stage.mallory.own(stage.tracing)
    victim.mkdir(mode=0o700)
    (victim / "1.1").write_text("root's own")
    (victim / "registry").write_bytes(b"r" * 8192)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in victim.iterdir()}
    for name in share(("processes", "pools", "sessions", *MAPPED, "lock"), 0, 3):
        shutil.rmtree(own, ignore_errors=True)
        stage.mallory.run(stage.tracing, "cairn", "list")
        target = own / name
        with acting_as(stage.mallory):
            shutil.rmtree(target) if target.is_dir() else target.unlink()
            target.symlink_to(victim if name in ("processes", "pools", "sessions") else victim / "registry")
        stage.begin(stage.root, stage.alice)
        stage.root.run(stage.tracing, "cairn", "list")
        stage.root.run(stage.tracing, "cairn", "doctor")
        stage.end(f"a link in the place of {name}")
    after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in victim.iterdir()}
    check("nothing was written, made or removed through links", before == after, after)
    shutil.rmtree(own)
    with acting_as(stage.mallory):
        own.symlink_to(victim)
    stage.begin(stage.root, stage.alice)
    stage.end("a link in the place of one's directory")
    check("a link in the place of a directory is not followed", {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in victim.iterdir()} == before)
    own.unlink()


def makes_pipes(stage):
    own = stage.mallory.own(stage.tracing)
    for name in share((*MAPPED, "lock", "pools/1.1", "processes/1.1", "sessions/7"), 0, 3):
        shutil.rmtree(own, ignore_errors=True)
        stage.mallory.run(stage.tracing, "cairn", "list")
        with acting_as(stage.mallory):
            (own / name).unlink(missing_ok=True)
            os.mkfifo(own / name)
        stage.begin(stage.root, stage.alice)
        check(f"root can list with a pipe in the place of {name}", stage.root.run(stage.tracing, "cairn", "list")[0] == 0)
        stage.end(f"a pipe in the place of {name}")
    shutil.rmtree(own)


def names_a_pool_elsewhere(stage, victim):
    """A process file cannot name a pool file outside of the directory."""
    own = stage.mallory.own(stage.tracing)
    shutil.rmtree(own, ignore_errors=True)
    program = stage.mallory.start(stage.tracing, "emit", f"by_{stage.mallory.number}", "1", "wait")
    stage.mallory.sees(stage.tracing, "by_", "cairn", "list")
    process, pool = next((own / "processes").iterdir()), next((own / "pools").iterdir())
    shutil.copy(pool, victim / "pool")
    before = (victim / "pool").read_bytes()
    with acting_as(stage.mallory), open(process, "r+b") as file:
        file.seek(48)  # pool_name of struct engine_process_file
        was = file.read(64)
        check("the process file names its pool file", was.rstrip(b"\0").decode() == pool.name, was)
        file.seek(48)
        file.write(f"../../../{victim.name}/pool".encode().ljust(64, b"\0"))
    stage.begin(stage.root, stage.alice)
    stage.end("a pool file elsewhere")
    check("root changes no pool file outside of the directory", (victim / "pool").read_bytes() == before)
    program.kill()
    program.communicate()


def makes_many_files(stage):
    own = stage.mallory.own(stage.tracing)
    with acting_as(stage.mallory):
        for name in ("pools", "processes"):
            for i in range(size(20000, 2000)):
                os.close(os.open(own / name / f"x{i}", os.O_CREAT | os.O_WRONLY))
    stage.begin(stage.root, stage.alice)
    stage.end("thousands of files")
    shutil.rmtree(own)


def holds_the_lock(stage):
    own = stage.mallory.own(stage.tracing)
    stage.mallory.run(stage.tracing, "cairn", "list")
    with open(own / "lock", "r+b") as lock:
        fcntl.fcntl(lock, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
        began = time.monotonic()
        stage.begin(stage.root, stage.alice)
        check("root's recorder does not wait for a lock that is held permanently", time.monotonic() - began < 1.5 + people.load(), time.monotonic() - began)
        stage.end("a lock that is held permanently")


def takes_names(stage, bob):
    """Mallory creates a directory of bob's number, and a false announcement of a recorder."""
    with acting_as(stage.mallory):
        bob.own(stage.tracing).mkdir()
        (stage.tracing / "recorder.1").write_bytes(bytes(24))
    code, out = bob.run(stage.tracing, "cairn", "doctor")
    check("a directory of one's number that another made is refused, and doctor reports it", "belongs to another user" in out, out)
    check("and the program runs on", bob.run(stage.tracing, "emit", "by_bob", "1")[0] != -11)
    began = time.monotonic()
    stage.alice.run(stage.tracing, "emit", "by_alice", "1")
    check("a false announcement delays nobody", time.monotonic() - began < 0.4 * (1 + people.load()), time.monotonic() - began)
    stage.begin(stage.root, stage.alice)
    stage.end("a directory of another one's number")
    with acting_as(stage.mallory):
        bob.own(stage.tracing).rmdir()


def renames(stage, victim):
    """Without the sticky bit, mallory can replace root's directory, but root does not use another one."""
    stage.tracing.chmod(0o2770)
    stage.begin(stage.root)
    with acting_as(stage.mallory):
        (stage.tracing / "0").rename(stage.tracing / "away")
        (stage.tracing / "0").symlink_to(victim)
    before = sorted(victim.iterdir())
    code, _ = stage.root.run(stage.tracing, "emit", "by_root", "1")
    check("root's programs do not follow a link in the place of their directory", sorted(victim.iterdir()) == before)
    (stage.tracing / "0").unlink()
    with acting_as(stage.mallory):
        (stage.tracing / "0").mkdir()
    stage.root.run(stage.tracing, "emit", "by_root", "1")
    check("nor use one of mallory's", not list((stage.tracing / "0").iterdir()), list((stage.tracing / "0").iterdir()))
    (stage.tracing / "0").rmdir()
    (stage.tracing / "away").rename(stage.tracing / "0")
    stage.end("a directory that was renamed", stage.root)
    stage.tracing.chmod(0o3770)
    with acting_as(stage.mallory):
        with contextlib.suppress(OSError):
            (stage.tracing / "0").rename(stage.tracing / "away")
    check("with the sticky bit nobody else can rename it", (stage.tracing / "0").is_dir())


def main(build):
    if os.geteuid():
        print("skipped: only root can become other users")
        return 77
    with tempfile.TemporaryDirectory(prefix="cairn-hostile-", dir="/dev/shm") as text:
        directory = pathlib.Path(text)
        directory.chmod(0o755)
        root = User(0, [], directory, build)
        alice, bob, mallory = (User(number, [TRACERS], directory, build) for number in (61011, 61012, 61013))
        try:
            alice.run(None, "cairn", "--version")
        except OSError as error:
            print(f"skipped: other users cannot run the programs in {build}: {error}")
            return 77
        try:
            stage = Stage(root, alice, mallory, directory / "shared")
            truncates(stage)
            truncates_in_a_loop(stage)
            writes_garbage(stage)
            links_elsewhere(stage, directory / "victim")
            makes_pipes(stage)
            names_a_pool_elsewhere(stage, directory / "victim")
            makes_many_files(stage)
            holds_the_lock(stage)
            takes_names(stage, bob)
            renames(stage, directory / "victim")
        finally:
            people.end_all()
    return people.failed()


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
