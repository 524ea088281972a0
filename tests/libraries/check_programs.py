#!/usr/bin/env python3
"""Programs that trace, collect, or both, by means of libraries lose no event, in any order of linking.

usage: check_programs.py SOURCE_ROOT BUILD CC
"""
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent

# The libraries that the program links, in this order, and the flags with which it is compiled.
PROGRAMS = {
    "the library that traces first": (["-ltraces", "-lcairn-collect", "-lcairn"], []),
    "the library that collects first": (["-lcairn-collect", "-ltraces", "-lcairn"], []),
    "libcairn left to the libraries": (["-lcairn-collect", "-ltraces"], []),
    "libcairn left to the libraries, the other way": (["-ltraces", "-lcairn-collect"], []),
    "the program traces too": (["-lcairn", "-lcairn-collect", "-ltraces"], ["-DTRACES_TOO"]),
    "the program traces too, the other way": (["-ltraces", "-lcairn-collect", "-lcairn"], ["-DTRACES_TOO"]),
    "the program without -fPIE": (["-ltraces", "-lcairn-collect", "-lcairn"], ["-DTRACES_TOO", "-fno-pie", "-no-pie"]),
    "the library that traces is loaded": (["-lcairn-collect"], ["-DLOADS"]),
    "all of the program's names are exported": (["-lcairn-collect", "-lcairn", "-ltraces"], ["-DTRACES_TOO", "-rdynamic"]),
}

failures = []


def run(*command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def main(root, build, cc):
    libraries = pathlib.Path(build) / "src"
    compiler = [*shlex.split(cc), "-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", f"-I{root}/include",
                f"-L{libraries}", "-Wl,--as-needed", f"-Wl,-rpath,{libraries}"]
    with tempfile.TemporaryDirectory(prefix="cairn-libraries-") as directory:
        directory = pathlib.Path(directory)
        run(*compiler, "-fPIC", "-shared", "-o", directory / "libtraces.so", HERE / "traces.c", "-lcairn", check=True)
        for what, (linked, flags) in PROGRAMS.items():
            program, tracing = directory / "program", directory / what
            tracing.mkdir(mode=0o700)
            built = run(*compiler, *flags, "-o", program, HERE / "collects.c", f"-L{directory}", f"-Wl,-rpath,{directory}",
                        *linked)
            ran = built if built.returncode else run(
                program, directory / "trace", directory / "libtraces.so",
                env=os.environ | {"CAIRN_TRACING_DIR": str(tracing), "CAIRN_BACKEND": "local"})
            print("FAIL" if ran.returncode else "ok  ", f"{what}:", ran.stdout.strip())
            if ran.returncode:
                failures.append(what)
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
