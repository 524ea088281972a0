#!/usr/bin/env python3
"""Shared objects that are unloaded without unregistering leave no registration: the process can fork, write, and load them again.

usage: check_unload.py SOURCE_ROOT BUILD CC CXX   (CXX may be "")
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
from extent import ALL  # noqa: E402

# The kinds of plugins, and the number of events that each writes: in 20 calls, and for some kinds one when it is unloaded.
KINDS = {"PROVIDER": 21, "PROVIDER_INLINE": 21, "PROVIDERS": 20, "TYPED": 20, "FACADE": 80}
OPTIMIZATIONS = ("-O0", "-O2")
STANDARDS = {"C": ["-xc", "-std=gnu17"], "C++": ["-xc++", "-std=gnu++17"]}

failures = []


def run(*command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def report(what, done):
    print("FAIL" if done.returncode else "ok  ", f"{what}:", done.returncode or "", done.stdout.strip())
    if done.returncode:
        failures.append(what)


def combinations(compilers):
    """Yields (language, compiler, kind, events, optimization). In a share of them each kind has both languages and optimizations,
    and a compiler of each family has some."""
    for number, (language, compiler) in enumerate(compilers):
        for place, (kind, events) in enumerate(KINDS.items()):
            for level, optimization in enumerate(OPTIMIZATIONS):
                if ALL or ((number + place) % 2 == 0 and (number // 2 + place) % 2 == level):
                    yield language, compiler, kind, events, optimization


def main(root, build, cc, cxx):
    libraries = pathlib.Path(build) / "src"
    flags = ["-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", f"-I{root}/include"]
    link_flags = [f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
    ccache = ["ccache"] if shutil.which("ccache") else []
    compilers = [(language, compiler) for language, all_of in
                 {"C": [shlex.split(cc), [*ccache, "clang"]], "C++": [shlex.split(cxx), [*ccache, "clang++"]]}.items()
                 for compiler in all_of if compiler and shutil.which(compiler[-1])]
    with tempfile.TemporaryDirectory(prefix="cairn-unload-") as directory:
        directory = pathlib.Path(directory)
        program = directory / "unload"
        run(*shlex.split(cc), "-std=gnu17", *flags, "-o", program, HERE / "unload.c", *link_flags, "-lcairn-collect", "-lcairn",
            check=True)
        for language, compiler, kind, events, optimization in combinations(compilers):
            what = f"{kind} in {language} by {compiler[-1]} {optimization}"
            plugin, tracing = directory / "plugin.so", directory / what.replace("/", "_")
            tracing.mkdir(mode=0o700)
            # Compiled and linked by two commands, of which ccache can save the first.
            built = run(*compiler, *STANDARDS[language], *flags, f"-D{kind}", optimization, "-fPIC",
                        "-fvisibility=hidden", "-c", "-o", plugin.with_suffix(".o"), HERE / "plugin.c")
            if not built.returncode:
                built = run(*compiler, "-shared", "-o", plugin, plugin.with_suffix(".o"), *link_flags, "-lcairn")
            report(what, built if built.returncode else run(
                program, directory / "trace", plugin, str(events),
                env=os.environ | {"CAIRN_TRACING_DIR": str(tracing), "CAIRN_BACKEND": "local"}))
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
