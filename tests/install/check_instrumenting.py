#!/usr/bin/env python3
"""The project in docs/instrumenting.md builds against an installed cairn with each build system that is installed, and its events
are recorded. It builds without cairn, too. The autotools take as long as all others: they are tried if everything is
(tests/extent.py).

usage: check_instrumenting.py MESON BUILD
"""
import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check_install import HERE, Installed, expect, failures  # noqa: E402
from extent import ALL  # noqa: E402

PAGE = HERE.parents[1] / "docs" / "instrumenting.md"
FILE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.M | re.S)  # a block with a file's name after the language
SOURCES = {"trace.h", "trace.c", "lines.c"}

# For each file of a build system the programs that it needs, and the commands.
BUILDS = {
    "Makefile": (["make"], ["make"]),
    "CMakeLists.txt": (["cmake", "make"], ["cmake .", "make"]),
    "configure.ac": (["autoreconf", "aclocal", "make"], ["autoreconf -i", "./configure", "make"]),
    "meson.build": (["meson", "ninja"], ["meson setup build", "ninja -C build", "cp build/lines lines"]),
}
WITH = {"configure.ac": ["Makefile.am"]}


def make_pkg_config(installed):
    """Writes a pkg-config that finds the packages below DESTDIR."""
    path = installed.directory / "bin" / "pkg-config"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {shutil.which("pkg-config")} --define-variable=prefix={installed.prefix} "$@"\n')
    path.chmod(0o755)
    installed.environment["PATH"] = f"{path.parent}:{installed.environment['PATH']}"
    installed.environment["PKG_CONFIG"] = str(path)


def build(installed, files, name, where):
    """Builds the project in the directory `where`. Returns the message of a failure, or an empty text."""
    where.mkdir()
    for file in SOURCES | {name, *WITH.get(name, [])}:
        (where / file).write_text(files[file])
    for command in BUILDS[name][1]:
        done = installed.run("sh", "-c", f"cd {shlex.quote(str(where))} && exec {command}")
        if done.returncode:
            return f"{command}: {done.stdout}{done.stderr}"
    return ""


def check_events(installed, where, name):
    trace = where / "lines.data"
    recorded = installed.run(installed.bin / "cairn", "record", "-e", "Example_Lines_*", "-o", trace, "--",
                             where / "lines", where / "lines.c", where / "absent.c")
    decoded = installed.run(installed.bin / "cairn", "decode", "-f", "jsonl", trace).stdout
    names = re.findall(r'"event":"(\w+)"', decoded)
    expect(names == ["Counted", "OpenFailed"], f"{name}: events are recorded {recorded.stderr if not names else ''}".strip())


def main(meson, build_directory):
    files = dict(FILE.findall(PAGE.read_text()))
    expect(files.keys() == SOURCES | set(BUILDS) | {name for more in WITH.values() for name in more},
           f"{PAGE.name} prints {', '.join(sorted(files))}")
    with tempfile.TemporaryDirectory(prefix="cairn-instrumenting-") as directory:
        installed = Installed(shlex.split(meson), build_directory, pathlib.Path(directory))
        make_pkg_config(installed)
        for name, (programs, _) in BUILDS.items():
            if name == "configure.ac" and not ALL:
                continue
            missing = [program for program in programs if not shutil.which(program)]
            if missing:
                print("skip", f"{name}: no {missing[0]}")
                continue
            where = installed.directory / name
            failed = build(installed, files, name, where)
            expect(not failed, f"{name}: builds {failed}".strip())
            if not failed:
                check_events(installed, where, name)
        installed.environment["PKG_CONFIG_PATH"] = installed.environment["PKG_CONFIG_LIBDIR"] = os.devnull
        failed = build(installed, files, "Makefile", installed.directory / "without")
        expect(not failed, f"Makefile without cairn: builds {failed}".strip())
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
