#!/usr/bin/env python3
"""Removes the files that `make install` installed below DESTDIR and PREFIX, and the directories that it created, if they are
empty.

usage: tools/uninstall.py BUILD PREFIX DESTDIR   ("": the configured prefix, no DESTDIR)
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys


def introspect(build, what):
    return json.loads(subprocess.run(["meson", "introspect", what, build], check=True, stdout=subprocess.PIPE).stdout)


def installed(build, configured):
    """The paths that the build directory installs now, relative to the configured prefix."""
    paths = set()
    for source, path in introspect(build, "--installed").items():
        path = pathlib.Path(path)
        found = [path / entry.relative_to(source) for entry in pathlib.Path(source).rglob("*")] \
            if os.path.isdir(source) else []
        paths |= {path, *found}
    return {path.relative_to(configured) for path in paths if path.is_relative_to(configured)}


def is_ours(path):
    """True for a directory that only cairn uses, by its name."""
    return "cairn" in path.parts


def main(build, prefix, destdir):
    build = pathlib.Path(build)
    configured = next(option["value"] for option in introspect(build, "--buildoptions") if option["name"] == "prefix")
    root = pathlib.Path(f"{destdir}{prefix or configured}")
    record = build / "installed.txt"
    lines = record.read_text().splitlines() if record.exists() else []

    # `make install` may also have created the directory of the prefix, and its parents.
    made = {pathlib.Path(line) for line in lines}
    paths = {root / path for path in installed(build, configured)}
    paths |= {path for path in made if path.is_relative_to(root)}
    removed = 0
    for path in paths:
        if path.is_symlink() or path.is_file():
            path.unlink()
            removed += 1
    directories = {path for path in made if path.is_relative_to(root) or root.is_relative_to(path)}
    directories |= {parent for path in paths for parent in (path, *path.parents)
                    if parent.is_relative_to(root) and is_ours(parent.relative_to(root))}
    for path in sorted(directories, key=lambda path: len(path.parts), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    if record.exists():
        record.write_text("".join(f"{line}\n" for line in lines if pathlib.Path(line) not in paths | directories))
    if not destdir and os.geteuid() == 0 and shutil.which("ldconfig"):
        subprocess.run(["ldconfig"], check=False)
    print(f"Removed {removed} files from {root}.")


main(*sys.argv[1:])
