#!/usr/bin/env python3
"""A static program that makes its own system calls, by `cairn mount` and by `cairn run --fuse`. As an ordinary user, in a
user namespace. And: what happens when the server is killed.

usage: mount.py CAIRN STATIC_PROGRAM
"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from mounting import SKIP, can_mount  # noqa: E402

ENOTCONN, EADDRINUSE, EFAULT, EBADF = 107, 98, 14, 9
OWN = ["unshare", "--user", "--map-root-user", "--mount"]
LIMIT = 60
PROGRAMS, OF_EACH = 150, 10
COUNT = 50


def events_of(count):
    """What raw_program writes."""
    return [["user_events", *event] for i in range(count)
            for event in (["raw_number", {"number": i}], ["raw_text", {"text": "an odd one" if i % 2 else "an even one"}])]


def say(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=LIMIT, check=False, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.returncode} {done.stdout}"
    return done.stdout


def record(cairn, directory, *command):
    """What the program printed, and its events without their times and numbers of processes."""
    data = str(pathlib.Path(directory, "events.data"))
    printed = say(cairn, "record", "-e", "raw_*", "-o", data, "--", *command, stderr=subprocess.DEVNULL)
    events = []
    for line in say(cairn, "decode", "-f", "jsonl", data).splitlines():
        event = json.loads(line)
        assert event["pid"] == event["tid"] and event["comm"].startswith("raw_"), event
        events.append([event["provider"], event["event"], event["fields"]])
    return [printed, events]


def wait_for(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def check_events(cairn, directory, *command):
    printed, events = record(cairn, directory, *command, str(COUNT))
    assert printed == "11 80000000 0\n", printed
    assert events == events_of(COUNT), events


def check_many(cairn, program, directory, where):
    """Programs that run at once, more than the server keeps threads for."""
    os.environ["RAW_DIRECTORY"] = where
    script = f'for i in $(seq {PROGRAMS}); do "$0" {OF_EACH} >/dev/null & done; wait'
    events = record(cairn, directory, "sh", "-c", script, program)[1]
    assert len(events) == 2 * PROGRAMS * OF_EACH, len(events)


def check_memory(program):
    """The server and the programs' memory: it is one program's in two processes, or a child's; a page is of the mount itself; it is secret."""
    assert say(program, "shares") == f"0 {EADDRINUSE} 0\n"
    assert say(program, "page") == f"{EFAULT}\n"
    assert say(program, "secret") == "0\n"
    assert say(program, "family") == f"0 0 0 {EADDRINUSE}\n"


class Held:
    """A program that has registered, and writes on request."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "hold"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def write(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def start_in_foreground(cairn, where, directory, *before):
    """As a service manager does: waits until the server reports that it is ready."""
    path = str(pathlib.Path(directory, "notify"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(path)
        notify.settimeout(LIMIT)
        server = subprocess.Popen([*before, cairn, "mount", where], env=dict(os.environ, NOTIFY_SOCKET=path))
        assert notify.recv(100) == b"READY=1"
    os.unlink(path)
    return server


def check_death(cairn, program, directory, where):
    """Programs get errors and continue; a new server takes over; what persists stays."""
    server = start_in_foreground(cairn, where, directory)
    # Not emptied: the former server may use events until it has ended.
    with open(pathlib.Path(where, "dynamic_events"), "ab", buffering=0) as events:
        events.write(b"u:persists u32 a\n")
    held = Held(program)
    assert held.write() == EBADF, "nobody records"
    server.kill()
    server.wait()
    assert held.write() == ENOTCONN
    server = start_in_foreground(cairn, where, directory)
    assert held.write() == ENOTCONN, "its descriptor stays dead"
    assert "u:persists u32 a\n" in pathlib.Path(where, "dynamic_events").read_text(encoding="ascii")
    again = Held(program)
    assert again.write() == EBADF
    assert "raw_number" in say(cairn, "list")
    again.end()
    held.end()
    # With its process an event goes, though the server lives.
    wait_for(lambda: "raw_number" not in say(cairn, "list"), "the event stays")
    server.send_signal(signal.SIGTERM)
    assert server.wait(LIMIT) == 0
    assert not os.listdir(where)


def umount(cairn, where):
    """The exit status, and what it says."""
    done = subprocess.run([cairn, "umount", where], stderr=subprocess.PIPE, text=True, check=False, timeout=LIMIT)
    return done.returncode, done.stderr


def check_covered(cairn, program, directory, where):
    """What others mount above stays, and the programs' descriptors; the mount below can be removed afterwards."""
    server = start_in_foreground(cairn, where, directory)
    held = Held(program)
    say("mount", "-t", "tmpfs", "above", where)
    assert held.write() == EBADF, "nobody records, and the server is there"
    code, said = umount(cairn, where)
    assert code == 1 and f"another mount covers that of cairn at {where}" in said, said
    say("umount", where)
    assert "user_events_data" in os.listdir(where)
    say("mount", "-t", "tmpfs", "above", where)
    server.send_signal(signal.SIGTERM)
    assert server.wait(LIMIT) == 1 and held.write() == ENOTCONN
    held.end()
    assert umount(cairn, where)[0] == 1
    say("umount", where)
    assert umount(cairn, where) == (0, "")
    assert not os.listdir(where)


def types_at(where):
    """The types of the mounts, the last one at the end."""
    mounts = [line.split() for line in pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()]
    return [mount[2] for mount in mounts if mount[1] == where]


def check_kernels(cairn):
    """As root: the kernel's tracefs is mounted below, if it is not there, and is unmounted with ours; one that was there stays."""
    where = "/sys/kernel/tracing"
    while types_at(where):
        say("umount", where)
    if subprocess.run(["mount", "-t", "tracefs", "tracefs", where], stderr=subprocess.DEVNULL, check=False).returncode:
        return print("not checked: this kernel has no tracefs, or not here")
    refused = subprocess.run([cairn, "mount"], stderr=subprocess.PIPE, text=True, check=False, timeout=LIMIT)
    assert refused.returncode == 1 and "name the directory to do that" in refused.stderr, refused
    say(cairn, "mount", "--daemon", where)
    assert types_at(where) == ["tracefs", "fuse.cairn"]
    say(cairn, "umount")
    assert types_at(where) == ["tracefs"]
    say("umount", where)
    say(cairn, "mount", "--daemon")
    assert types_at(where) == ["tracefs", "fuse.cairn"]
    say("mount", "-t", "tracefs", "tracefs", where)
    refused = subprocess.run([cairn, "mount"], stderr=subprocess.PIPE, text=True, check=False, timeout=LIMIT)
    assert refused.returncode == 1 and "mounted over cairn's" in refused.stderr, refused
    assert umount(cairn, where)[0] == 1
    say("umount", where)
    say(cairn, "umount")
    assert not types_at(where)
    return None


def check_namespaces(cairn, program, directory, where):
    """A program of an inner pid namespace is served; one that the server cannot see can read, and not register."""
    server = start_in_foreground(cairn, where, directory)
    assert say("unshare", "--pid", "--fork", program, "1") == f"10 0 {EBADF}\n", "nobody records"
    server.send_signal(signal.SIGTERM)
    assert server.wait(LIMIT) == 0
    hidden = ["unshare", "--pid", "--fork", "--kill-child"]
    done = subprocess.run([*hidden, cairn, "mount", where], stderr=subprocess.PIPE, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 1 and "No such process" in done.stderr, "its /proc is of another namespace"
    # With a /proc of its own: in another mount namespace, to which this directory is shared.
    inner = [*hidden, "--mount", "--propagation", "unchanged", "sh", "-c", 'mount -t proc proc /proc && exec "$@"', "sh"]
    if subprocess.run([*inner, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        return print("not checked: /proc cannot be mounted here")
    say("mount", "--bind", directory, directory)
    say("mount", "--make-shared", directory)
    server = start_in_foreground(cairn, where, directory, *inner)
    assert pathlib.Path(where, "user_events_status").read_text(encoding="ascii").endswith("Max: 49152\n")
    done = subprocess.run([program, "1"], stderr=subprocess.PIPE, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 1 and "Operation not permitted" in done.stderr, done
    server.kill()
    server.wait()
    return None


def check_two(two_mounts, directory):
    """A process that has made two mounts removes each."""
    places = [str(pathlib.Path(directory, name)) for name in ("first", "second")]
    for place in places:
        os.mkdir(place)
    say(two_mounts, *places)
    assert not any(types_at(place) for place in places)


def inside(cairn, program, two_mounts, directory):
    where = str(pathlib.Path(directory, "mount"))
    os.mkdir(where)
    say(cairn, "mount", "--daemon", where)
    os.environ["RAW_DIRECTORY"] = where
    check_events(cairn, directory, program)
    check_many(cairn, program, directory, where)
    check_memory(program)
    assert subprocess.run([cairn, "umount", directory], stderr=subprocess.DEVNULL, check=False).returncode == 1
    say(cairn, "umount", where)
    assert not os.listdir(where)
    check_death(cairn, program, directory, where)
    check_covered(cairn, program, directory, where)
    check_two(two_mounts, directory)
    check_namespaces(cairn, program, directory, where)


def why_not():
    if subprocess.run([*OWN, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        return "user namespaces cannot be used here"
    if not can_mount(sys.argv[1], *OWN):
        return "a mount failed"
    if not os.path.isdir("/sys/kernel/tracing"):
        return "there is no /sys/kernel/tracing to mount at"
    return None


def main():
    if sys.argv[1] == "inside":
        return inside(*sys.argv[2:])
    if sys.argv[1] == "kernels":
        return check_kernels(sys.argv[2])
    cairn, program, two_mounts = map(os.path.abspath, sys.argv[1:])
    reason = why_not()
    if reason:
        print("skipped:", reason)
        return SKIP
    with tempfile.TemporaryDirectory(prefix="cairn-mount-") as directory:
        os.environ["CAIRN_TRACING_DIR"] = str(pathlib.Path(directory, "tracing"))
        os.mkdir(os.environ["CAIRN_TRACING_DIR"], 0o700)
        check_events(cairn, directory, cairn, "run", "--quiet", "--backend=local", "--fuse", "--", program)
        done = subprocess.run([*OWN, sys.executable, __file__, "inside", cairn, program, two_mounts, directory], check=False,
                              timeout=5 * LIMIT)
        if not done.returncode and os.geteuid() == 0:
            done = subprocess.run(["unshare", "--mount", sys.executable, __file__, "kernels", cairn], check=False, timeout=LIMIT)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
