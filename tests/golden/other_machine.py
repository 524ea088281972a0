#!/usr/bin/env python3
"""The golden events on another machine, run under qemu's user mode: s390x, which is big-endian, or aarch64.

usage: other_machine.py SOURCE_ROOT BUILD_DIRECTORY MACHINE
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
BYTE_ORDER = {"s390x": "big", "aarch64": "little"}
COMPONENTS = ("core", "condition", "os/linux", "engine", "user_events", "eventheader")


def compile_source(compiler, source, output, flags):
    """ccache, if it is installed, saves most of the time of a run after the first."""
    subprocess.run([*(["ccache"] if shutil.which("ccache") else []), compiler, *flags, "-c", source, "-o", output], check=True)
    return output


def can_link(compiler, directory):
    """True if the compiler has a C library."""
    source = directory / "nothing.c"
    source.write_text("int main(void) { return 0; }\n")
    return not subprocess.run([compiler, "-static", source, "-o", directory / "nothing"], capture_output=True).returncode


def compile_components(root, directory, compiler, archiver, flags):
    """Makes an archive of the library's objects, from which the linker takes what both programs need."""
    objects, archive = directory / "objects", directory / "library.a"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir()
    archive.unlink(missing_ok=True)
    sources = [source for component in COMPONENTS for source in sorted((root / "src" / component).rglob("*.c"))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda source: compile_source(compiler, source, objects / f"{source.parent.name}_{source.stem}.o", flags), sources))
    subprocess.run([archiver, "rcs", archive, *made], check=True)
    return archive


def build(root, directory, how, compiler, flags, archive):
    source, program = directory / f"{how}.c", directory / how
    subprocess.run([sys.executable, root / "tests/golden/generate.py", how, source], check=True)
    own = [compile_source(compiler, path, directory / f"{how}_{path.stem}.o", flags) for path in (root / "tests/golden/emit.c", source)]
    subprocess.run([compiler, *own, archive, "-static", "-pthread", "-o", program], check=True)
    return program


def main(root, directory, machine):
    compiler, archiver, emulator = f"{machine}-linux-gnu-gcc", f"{machine}-linux-gnu-ar", f"qemu-{machine}"
    root, directory = pathlib.Path(root).resolve(), pathlib.Path(directory).resolve()
    directory.mkdir(exist_ok=True)
    for tool in (compiler, emulator):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return SKIPPED
    if not can_link(compiler, directory):
        print(f"skipped: {compiler} has no C library to link")
        return SKIPPED
    os.environ["GOLDEN_BYTE_ORDER"] = BYTE_ORDER[machine]
    includes = [f"-I{root / path}" for path in ("tests/golden/standalone", "include", "src", "tests/unit", "tests/golden")]
    flags = ["-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", '-DCAIRN_VERSION="golden"', *includes]
    archive = compile_components(root, directory, compiler, archiver, flags)
    for how in ("macros", "builder"):
        program = build(root, directory, how, compiler, flags, archive)
        subprocess.run([sys.executable, root / "tests/golden/compare.py", how, emulator, program], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
