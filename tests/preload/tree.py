#!/usr/bin/env python3
"""Test of the directory with the files of tracefs: it is in memory if the tracing directory is on a disk and belongs to one
user.

usage: tree.py CAIRN
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

cairn = sys.argv[1]
MEMORY = pathlib.Path("/dev/shm")
COUNT = 3000
SKIP = 77

failures = []


def expect(condition, what):
    print("ok  " if condition else "FAIL", what)
    if not condition:
        failures.append(what)


def run(tracing, script):
    """Returns the output of a shell under `cairn run`."""
    return subprocess.run([cairn, "run", "-q", "--backend=local", "--transport=preload", "--", "sh", "-c", script], text=True,
                          stdout=subprocess.PIPE, env=os.environ | {"CAIRN_TRACING_DIR": str(tracing)}, check=False).stdout


def trees(tracing):
    return [path for path in MEMORY.glob(f"cairn-tree-{os.geteuid()}-*")
            if (path / "of").is_symlink() and os.readlink(path / "of") == str(tracing)]


def file_system(path):
    return subprocess.run(["stat", "-f", "-c", "%T", path], text=True, stdout=subprocess.PIPE, check=False).stdout.strip()


def main(directory):
    first, second, shared = (directory / name for name in ("first", "second", "shared"))
    for tracing in (first, second, shared):
        tracing.mkdir(mode=0o700)
    shared.chmod(0o2770)
    if file_system(MEMORY) != "tmpfs" or file_system(directory) == "tmpfs":
        print("no disk to compare with memory")
        return SKIP
    if not subprocess.run(["stat", "-c", "%W", first], text=True, stdout=subprocess.PIPE, check=False).stdout.strip("0-\n"):
        print("the file system of temporary files does not record creation times")
        return SKIP

    add = f"cd /sys/kernel/tracing; i=0; while test $i -lt {COUNT}; do echo \"u:tree_$i u32 a\"; i=$((i + 1)); done >dynamic_events"
    count = int(run(first, f"{add}; ls events/user_events | grep -c '^tree_'") or 0)
    expect(count == COUNT, f"{count} events have a directory")
    expect(len(trees(first)) == 1 and not (first / "tracefs").exists(), "all of them are in memory")
    expect("field:u32 a" in run(first, "cat /sys/kernel/tracing/events/user_events/tree_7/format"), "their files can be read")
    run(second, "ls /sys/kernel/tracing/events/user_events")
    expect(len(trees(first)) == 1 and len(trees(second)) == 1, "another tracing directory has its own")
    expect("tree_7" not in run(second, "ls /sys/kernel/tracing/events/user_events"), "with its own events")

    tree = trees(second)[0]
    shutil.rmtree(tree)
    tree.mkdir()
    tree.chmod(0o777)
    expect("enable" in run(second, "ls /sys/kernel/tracing/events/user_events") and not [*tree.iterdir()] and
           (second / "tracefs").exists(), "a directory that others may write to is not used")
    tree.rmdir()
    expect("enable" in run(shared, "ls /sys/kernel/tracing/events/user_events") and not trees(shared),
           "root finds its own in a shared directory")

    shutil.rmtree(first)
    run(second, "true")
    expect(not trees(first), "the files of a removed tracing directory are removed")
    shutil.rmtree(second)
    first.mkdir(mode=0o700)
    run(first, "true")
    shutil.rmtree(first)
    run(shared, "true")
    for path in trees(first):
        shutil.rmtree(path)
    return 1 if failures else 0


with tempfile.TemporaryDirectory(prefix="cairn-tree-") as name:
    status = main(pathlib.Path(name).resolve())
sys.exit(status)
