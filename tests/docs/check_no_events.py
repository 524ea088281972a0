#!/usr/bin/env python3
"""The recordings in docs/no-events.md print what the page shows, except for numbers. The program is that of the README.

usage: check_no_events.py BUILD_DIR SOURCE_ROOT
"""
import pathlib
import re
import sys
import tempfile

import check_readme

RECORDING = re.compile(r"(CAIRN_BACKEND=\w+ )?cairn record .*-o")


def build(directory, build_dir, root):
    """The commands of the README's console blocks up to the compiler, which build hello."""
    text = (root / "README.md").read_text()
    pathlib.Path(directory, "include").symlink_to(root / "include")
    pathlib.Path(directory, "build").symlink_to(pathlib.Path(build_dir).resolve())
    program = next(block for language, block in check_readme.BLOCK.findall(text) if language == "c")
    pathlib.Path(directory, "hello.c").write_text(program)
    commands = [command for command, _ in check_readme.steps(text)]
    return commands[:next(i for i, command in enumerate(commands) if command.startswith("cc ")) + 1]


def main(build_dir, root):
    root = pathlib.Path(root).resolve()
    wanted = [(command, lines) for command, lines in check_readme.steps((root / "docs/no-events.md").read_text())
              if RECORDING.match(command) and lines]
    with tempfile.TemporaryDirectory(prefix="cairn-no-events-") as directory, \
            tempfile.TemporaryDirectory(prefix="cairn-no-events-", dir="/dev/shm") as tracing:
        before = build(directory, build_dir, root)
        printed = check_readme.run(before + [f"{command} || true" for command, _ in wanted], directory, tracing)[len(before):]
    bad = ["\n".join([f"no-events.md: $ {command}", "the page shows:", *lines, "the command prints:", *said])
           for (command, lines), said in zip(wanted, printed) if check_readme.alike(lines) != check_readme.alike(said)]
    if len(printed) != len(wanted) + 1:
        bad.append("hello could not be built")
    print("\n".join(bad) or f"{len(wanted)} commands")
    return bool(bad) or not wanted


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
