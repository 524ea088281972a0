#!/usr/bin/env python3
"""Every C program printed in a man page or in a page of docs/ compiles without a warning, links and runs.

usage: check_examples.py SOURCE_ROOT COMPILER LINK_ARGUMENTS...

A program is what has a main function: in EXAMPLES of a man page, or in a block marked ```c of a .md file. They are run
one after the other in one folder, with a tracing directory of its own: one may read what one before it has written.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import pages

FLAGS = ["-std=gnu17", "-Wall", "-Wextra", "-Werror"]
BLOCK = re.compile(r"^```c\n(.*?)^```$", re.M | re.S)

# Who writes a file stands before those who read it.
FIRST = ["README.md", "cairn_session.3"]


def programs(root):
    """Yields (where it is printed, text)."""
    for page in pages.pages(root):
        for text in page.programs():
            yield page.path.name, text
    for path in sorted([*root.glob("*.md"), *root.glob("docs/*.md")]):
        for text in BLOCK.findall(path.read_text()):
            if "int main(" in text:
                yield path.name, text


def run(command, folder):
    """What a command says when it fails; else nothing."""
    env = dict(os.environ, CAIRN_TRACING_DIR=f"{folder}/tracing", CAIRN_BACKEND="local")
    done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, check=False)
    if not done.returncode:
        return ""
    return f"{shlex.join(command)}: status {done.returncode}\n{done.stdout.decode(errors='replace')}"


def check(folder, number, text, compiler, link_arguments):
    source, program = folder / f"{number}.c", folder / f"{number}"
    source.write_text(text)
    return (run([*compiler, *FLAGS, str(source), *link_arguments, "-o", str(program)], folder) or
            run([str(program)], folder))


def main(root, compiler, *link_arguments):
    root = pathlib.Path(root).resolve()
    compiler = [*shlex.split(compiler), f"-I{root / 'include'}"]
    found = sorted(programs(root), key=lambda item: item[0] not in FIRST)
    bad = []
    with tempfile.TemporaryDirectory(prefix="cairn-docs-") as folder:
        for number, (where, text) in enumerate(found):
            said = check(pathlib.Path(folder), number, text, compiler, link_arguments)
            if said:
                bad.append(f"{where}: {said}")
    print("\n".join(bad) or f"{len(found)} programs")
    return bool(bad) or not found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
