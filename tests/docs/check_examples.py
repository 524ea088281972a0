#!/usr/bin/env python3
"""Every C program printed in a man page or in a page of docs/ compiles without a warning, links and runs.

usage: check_examples.py SOURCE_ROOT COMPILER LINK_ARGUMENTS...

A program is a text with a main function: in EXAMPLES of a man page, or in a block marked ```c of a .md file. Programs are run one
after the other in one directory, with a tracing directory of its own: one may read a file that an earlier one has written.

A program may be followed by a block marked ```sh, which names its file and runs it in its last line, and then by a block without a
mark, which is the output, except for the time.
"""
import collections
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import pages

FLAGS = ["-std=gnu17", "-Wall", "-Wextra", "-Werror"]
BLOCK = re.compile(r"^```c\n(.*?)^```$(?:\n\n```sh\n(.*?)^```$)?(?:\n\n```\n(.*?)^```$)?", re.M | re.S)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z")

Program = collections.namedtuple("Program", "where text commands prints", defaults=("", None))

# The pages whose programs write the files that others read.
FIRST = ["README.md", "cairn_session.3"]


def programs(root):
    for page in pages.pages(root):
        for text in page.programs():
            yield Program(page.path.name, text)
    for path in sorted([*root.glob("*.md"), *root.glob("docs/*.md")]):
        for block in BLOCK.finditer(path.read_text()):
            if "int main(" in block[1]:
                yield Program(path.name, block[1], block[2] or "", block[3])


def run(command, directory, environment=(), prints=None):
    """Runs a command. Returns a message if it fails, or its output differs from `prints`; otherwise an empty text."""
    env = dict(os.environ, CAIRN_TRACING_DIR=f"{directory}/tracing", CAIRN_BACKEND="local")
    done = subprocess.run(command, cwd=directory, env=env | dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600, check=False)
    said = done.stdout.decode(errors="replace")
    if done.returncode:
        return f"{shlex.join(command)}: status {done.returncode}\n{said}"
    if prints is not None and TIME.sub("TIME", said) != TIME.sub("TIME", prints):
        return f"printed:\n{said}instead of:\n{prints}"
    return ""


def check(directory, number, program, compiler, link_arguments):
    named = re.search(r"(\w+)\.c\b", program.commands)
    source = directory / f"{named[1] if named else number}.c"
    last_line = program.commands.splitlines()[-1:]
    environment = re.findall(r"(\w+)=(\S*) ", last_line[0]) if last_line else []
    source.write_text(program.text)
    return (run([*compiler, *FLAGS, source.name, *link_arguments, "-o", source.stem], directory) or
            run([f"./{source.stem}"], directory, environment, program.prints))


def main(root, compiler, *link_arguments):
    root = pathlib.Path(root).resolve()
    compiler = [*shlex.split(compiler), f"-I{root / 'include'}"]
    found = sorted(programs(root), key=lambda program: program.where not in FIRST)
    bad = []
    with tempfile.TemporaryDirectory(prefix="cairn-docs-") as directory:
        for number, program in enumerate(found):
            said = check(pathlib.Path(directory), number, program, compiler, link_arguments)
            if said:
                bad.append(f"{program.where}: {said}")
    print("\n".join(bad) or f"{len(found)} programs")
    return bool(bad) or not found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
