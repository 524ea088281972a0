#!/usr/bin/env python3
"""A program under `cairn run` whose tracing directory is in a file system that becomes full: what it asks for may fail,
and it lives on. Skipped where nobody may mount one.

usage: full.py CAIRN
"""
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
OWN_MOUNTS = ("unshare", "--map-root-user", "--mount")
TRACING = "/sys/kernel/tracing/"
SIZES_KIB = (600, 800, 1000, 1400, 2000, 2800)


def fill():
    """Adds events and lists the directory, until there is no space and once after that."""
    events = os.open(TRACING + "dynamic_events", os.O_WRONLY | os.O_APPEND)
    for i in range(3000):
        try:
            os.write(events, b"u:full_%d u32 count\n" % i)
            if i % 100 == 0:
                os.listdir(TRACING + "events/user_events")
        except OSError:
            break
    for name in ("events/user_events", "events/user_events/full_1"):
        try:
            os.listdir(TRACING + name)
        except OSError:
            pass


def run(cairn, size_kib):
    """The exit status of a program that fills a file system of this size."""
    with tempfile.TemporaryDirectory(prefix="cairn-full-") as directory:
        script = 'mount -t tmpfs -o mode=700,size=%dk tmpfs "$1"; shift; "$@"' % size_kib
        env = dict(os.environ, CAIRN_TRACING_DIR=directory)
        command = [cairn, "run", "-q", "--backend=local", "--transport=preload", "--", sys.executable, __file__, "fill"]
        return subprocess.run([*OWN_MOUNTS, "sh", "-c", script, "sh", directory, *command],
                              env=env, check=False).returncode


def printed(cairn, command):
    """What is printed in a tracing directory that is made, and full then."""
    with tempfile.TemporaryDirectory(prefix="cairn-full-") as directory:
        script = ('mount -t tmpfs -o mode=700,size=2m tmpfs "$0"; "$1" status >/dev/null; '
                  'head -c 4M /dev/zero >"$0/rest" 2>/dev/null; ' + command)
        env = dict(os.environ, CAIRN_TRACING_DIR=directory, CAIRN_BACKEND="local")
        return subprocess.run([*OWN_MOUNTS, "sh", "-c", script, directory, cairn], env=env, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def main():
    if sys.argv[1] == "fill":
        return fill()
    if subprocess.run([*OWN_MOUNTS, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False).returncode:
        return SKIPPED
    for size_kib in SIZES_KIB:
        status = run(os.path.abspath(sys.argv[1]), size_kib)
        assert status == 0, "%d KiB: status %d" % (size_kib, status)
    cairn = os.path.abspath(sys.argv[1])
    assert "[--] space        0 bytes free" in printed(cairn, '"$1" doctor')
    text = printed(cairn, '"$1" register "one u32 number" -- true')
    assert "No space left on device" in text and "doctor prints how much" in text, text
    return 0


if __name__ == "__main__":
    sys.exit(main())
