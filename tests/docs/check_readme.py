#!/usr/bin/env python3
"""The commands in the README work, and print what the README shows, except for numbers.

usage: check_readme.py BUILD_DIR SOURCE_ROOT

The first ```c block is hello.c. All ```console blocks are run in one shell, in a directory that looks like the built tree.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
MARK = "cairn-readme-step"


def steps(text):
    """(command, expected lines) of each command in console blocks."""
    found = []
    for language, block in BLOCK.findall(text):
        for line in block.splitlines() if language == "console" else []:
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def run(commands, directory, tracing):
    """Runs the commands in one shell, up to the first that fails. Returns the lines that each printed."""
    script = "set -e\n" + "".join(f"{command}\necho {MARK}\n" for command in commands)
    env = dict(os.environ, CAIRN_TRACING_DIR=f"{tracing}/tracing", CAIRN_BACKEND="local", LC_ALL="C.UTF-8", TZ="UTC")
    done = subprocess.run(["bash", "-c", script], cwd=directory, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, check=False)
    return [part.splitlines() for part in done.stdout.decode().split(f"{MARK}\n")]


def alike(lines):
    """The lines with one N for each number, and one space for each gap."""
    return [re.sub(r" +", " ", re.sub(r"\d[\d.,]*", "N", line)).strip() for line in lines]


def main(build, root):
    root = pathlib.Path(root).resolve()
    text = (root / "README.md").read_text()
    wanted = steps(text)
    bad = []
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # on a disk there is a warning
    with tempfile.TemporaryDirectory(prefix="cairn-readme-") as directory, \
            tempfile.TemporaryDirectory(prefix="cairn-readme-", dir=memory) as tracing:
        pathlib.Path(directory, "include").symlink_to(root / "include")
        pathlib.Path(directory, "build").symlink_to(pathlib.Path(build).resolve())
        pathlib.Path(directory, "hello.c").write_text(next(block for language, block in BLOCK.findall(text) if language == "c"))
        printed = run([command for command, _ in wanted], directory, tracing)
    for (command, lines), said in zip(wanted, printed):
        if alike(lines) != alike(said):
            bad.append("\n".join([f"README.md: $ {command}", "the page shows:", *lines, "the command prints:", *said]))
    if len(printed) != len(wanted) + 1:
        bad.append(f"README.md: $ {wanted[len(printed) - 1][0]}\nfails")
    print("\n".join(bad) or f"{len(wanted)} commands")
    return bool(bad) or not wanted


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
