#!/usr/bin/env python3
"""The golden events on a big-endian machine: compiled for s390x, run under qemu's user mode.

usage: big_endian.py SOURCE_ROOT BUILD_DIRECTORY
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
COMPILER, ARCHIVER, EMULATOR = "s390x-linux-gnu-gcc", "s390x-linux-gnu-ar", "qemu-s390x"
COMPONENTS = ("core", "condition", "os/linux", "engine", "user_events", "eventheader")


def compiler():
    """The compiler's command. ccache, if it is installed, saves most of the time of a run after the first."""
    return ["ccache", COMPILER] if shutil.which("ccache") else [COMPILER]


def compile_source(source, output, flags):
    subprocess.run([*compiler(), *flags, "-c", source, "-o", output], check=True)
    return output


def can_link(directory):
    """True if the compiler has a C library."""
    source = directory / "nothing.c"
    source.write_text("int main(void) { return 0; }\n")
    return not subprocess.run([COMPILER, "-static", source, "-o", directory / "nothing"], capture_output=True).returncode


def compile_components(root, directory, flags):
    """Makes an archive of the library's objects, from which the linker takes what both programs need."""
    objects, archive = directory / "objects", directory / "library.a"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir()
    archive.unlink(missing_ok=True)
    sources = [source for component in COMPONENTS for source in sorted((root / "src" / component).rglob("*.c"))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda source: compile_source(source, objects / f"{source.parent.name}_{source.stem}.o", flags), sources))
    subprocess.run([ARCHIVER, "rcs", archive, *made], check=True)
    return archive


def build(root, directory, how, flags, archive):
    source, program = directory / f"{how}.c", directory / how
    subprocess.run([sys.executable, root / "tests/golden/generate.py", how, source], check=True)
    own = [compile_source(path, directory / f"{how}_{path.stem}.o", flags) for path in (root / "tests/golden/emit.c", source)]
    subprocess.run([COMPILER, *own, archive, "-static", "-pthread", "-o", program], check=True)
    return program


def main(root, directory):
    root, directory = pathlib.Path(root).resolve(), pathlib.Path(directory).resolve()
    directory.mkdir(exist_ok=True)
    for tool in (COMPILER, EMULATOR):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return SKIPPED
    if not can_link(directory):
        print(f"skipped: {COMPILER} has no C library to link")
        return SKIPPED
    os.environ["GOLDEN_BYTE_ORDER"] = "big"
    includes = [f"-I{root / path}" for path in ("tests/golden/standalone", "include", "src", "tests/unit", "tests/golden")]
    flags = ["-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", '-DCAIRN_VERSION="golden"', *includes]
    archive = compile_components(root, directory, flags)
    for how in ("macros", "builder"):
        program = build(root, directory, how, flags, archive)
        subprocess.run([sys.executable, root / "tests/golden/compare.py", how, EMULATOR, program], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
