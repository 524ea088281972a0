#!/usr/bin/env python3
"""Events compile without a warning, link and are recorded: in C17 and C++17, with gcc and clang, at each optimization level (a
share of the combinations: tests/extent.py).

usage: check_good.py SOURCE_ROOT HARNESS LINK_ARGUMENTS...
"""
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from extent import ALL, share  # noqa: E402,F401

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
LANGUAGES = {"c": "-std=c17", "c++": "-std=c++17"}
COMPILERS = {"gcc": {"c": "gcc", "c++": "g++"}, "clang": {"c": "clang", "c++": "clang++"}}

# Compiler and linker options. A shared object contains all call sites of the program.
BUILDS = {
    "-O0": (["-O0"], []),
    "-O0 in a shared object": (["-O0", "-fPIC"], ["-shared"]),
    "-O1": (["-O1"], []),
    "-O2 -fPIE": (["-O2", "-fPIE"], ["-pie"]),
    "-O3 in a shared object": (["-O3", "-fPIC"], ["-shared"]),
    "-O2 -fno-pie": (["-O2", "-fno-pie"], ["-no-pie"]),
    "-O2 -flto": (["-O2", "-flto"], ["-O2", "-flto"]),
    "--gc-sections": (["-O2", "-ffunction-sections", "-fdata-sections"], ["-Wl,--gc-sections"]),
}


def installed():
    """Returns (language, compiler) of each installed compiler."""
    return [pair for compilers in COMPILERS.values() for pair in compilers.items() if shutil.which(pair[1])]


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, check=False, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}")


def linker_of(compiler, how):
    """Objects of clang's -flto need clang's own linker."""
    return ["-fuse-ld=lld"] if compiler.startswith("clang") and "-flto" in how else []


def build_and_run(root, harness, libraries, language, compiler, build, directory):
    how, link = BUILDS[build]
    here = root / "tests/compile"
    objects = [directory / "first.o", directory / "second.o"]
    for source, to in zip((here / "good_first.c", here / "good_second.c"), objects):
        run([compiler, "-x", language, LANGUAGES[language], *WARNINGS, *how, f"-I{root / 'include'}", "-c", source, "-o", to])
    if "-shared" in link:
        run([compiler, *link, *objects, "-o", directory / "libgood.so"])
        objects, link = [directory / "libgood.so", f"-Wl,-rpath,{directory}"], []
    program = directory / "program"
    run([compiler, *link, *linker_of(compiler, how), harness, *objects, *libraries, "-o", program])
    run([program])


def main(root, harness, *libraries):
    root = pathlib.Path(root).resolve()
    jobs = []
    bad = 0
    with tempfile.TemporaryDirectory(prefix="cairn-compile-") as directory, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, (language, compiler) in enumerate(installed()):
            # check_tracepoint.py tries the others.
            for build in share(BUILDS, 2 * (3 - number), 8):
                own = pathlib.Path(directory) / str(len(jobs))
                own.mkdir()
                jobs.append((f"{compiler}, {build}",
                             pool.submit(build_and_run, root, harness, libraries, language, compiler, build, own)))
        for what, job in jobs:
            error = job.exception()
            if error:
                bad += 1
                print(f"{what}: {error}")
    print(f"{len(jobs)} builds, {bad} bad")
    return bad or not jobs


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
