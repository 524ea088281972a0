#!/usr/bin/env python3
"""An installed cairn is complete: programs are built against it alone, run, are recorded and decoded. Uninstalling removes all
of it.

usage: check_install.py MESON BUILD CC [CXX]
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
TOOLS = HERE.parents[1] / "tools"
LIBRARIES = ["cairn", "cairn-collect"]
# The libraries that libcairn-collect.so may need besides libc.
COLLECT_NEEDS = {"libcairn.so.0.1", "libzstd.so.1", "libz.so.1", "libprotobuf-c.so.1", "libsqlite3.so.0"}
PREFIXES = ("cairn_", "libcairn_")  # the public names, and the internal ones
COUNT = 5  # events that the program writes

failures = []


def expect(condition, what):
    print("ok  " if condition else "FAIL", what)
    if not condition:
        failures.append(what)


def output(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


class Installed:
    """An installation below a temporary directory, and an environment in which to use it."""

    def __init__(self, meson, build, directory):
        self.directory = directory
        self.root = directory / "root"
        output(TOOLS / "install.sh", build, env=os.environ | {"DESTDIR": str(self.root)})
        options = json.loads(output(*meson, "introspect", "--buildoptions", build))
        paths = {option["name"]: option["value"] for option in options if option["section"] == "directory"}
        self.prefix = directory / "root" / paths["prefix"].lstrip("/")
        self.bin, self.lib, self.include, self.man = (
            self.prefix / paths[name] for name in ("bindir", "libdir", "includedir", "mandir"))
        tracing = directory / "tracing"
        tracing.mkdir(mode=0o700)
        self.environment = os.environ | {
            "PKG_CONFIG_PATH": str(self.lib / "pkgconfig"), "LD_LIBRARY_PATH": str(self.lib),
            "CAIRN_TRACING_DIR": str(tracing), "CAIRN_BACKEND": "local"}

    def flags(self, package, *options):
        """The flags of pkg-config, with the prefix below DESTDIR."""
        return shlex.split(output("pkg-config", f"--define-variable=prefix={self.prefix}", *options,
                                  "--cflags", "--libs", package, env=self.environment))

    def run(self, *command):
        return subprocess.run(command, text=True, capture_output=True, env=self.environment)


def check_files(installed):
    headers = {path.relative_to(HERE.parents[1] / "include") for path in HERE.parents[1].glob("include/cairn/**/*.h")}
    found = {path.relative_to(installed.include) for path in installed.include.glob("cairn/**/*.h")}
    expect(found == headers, f"{len(headers)} headers are installed")
    pages = [path for path in installed.man.glob("man*/cairn*") if path.exists()]
    expect(len(pages) > 10 and not [page for page in installed.man.glob("man*/*") if not page.exists()],
           f"{len(pages)} man pages are installed, and all links have a target")


def check_library(installed, name):
    """A shared library exports public names only, needs permitted libraries only, and is not unloaded."""
    path = installed.lib / f"lib{name}.so"
    symbols = [line.split()[-1] for line in output("nm", "-D", "--defined-only", path).splitlines()
               if line.split()[1] != "A"]  # versions
    dynamic = output("readelf", "-dW", path)
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", dynamic))
    needed = {library for library in needed if not re.match(r"(libc|ld-linux.*)\.so", library)}
    expect(symbols and all(symbol.startswith(PREFIXES) for symbol in symbols),
           f"lib{name}.so exports {len(symbols)} names, all of which begin with cairn_ or libcairn_")
    permitted = COLLECT_NEEDS if name == "cairn-collect" else set()
    expect(needed <= permitted, f"lib{name}.so needs libc" +
           "".join(f" and {library}" for library in needed))
    expect("NODELETE" in dynamic, f"lib{name}.so stays loaded")


def check_archive(installed, name):
    """An archive defines and uses no internal name that a program may have."""
    lines = [line.split() for line in output("nm", "--extern-only", installed.lib / f"lib{name}.a").splitlines()]
    defined = {words[2] for words in lines if len(words) == 3}
    used = {words[1] for words in lines if len(words) == 2}
    expect(defined and all(symbol.startswith(PREFIXES) for symbol in defined),
           f"lib{name}.a defines {len(defined)} names, all of which begin with cairn_ or libcairn_")
    expect(not [symbol for symbol in used if re.match("(core|engine|os|tracing|session|perf_data)_", symbol)],
           f"lib{name}.a uses no internal name of another archive without the prefix")


def check_run(installed):
    """`cairn run` finds its library, which exports names of the C library only."""
    path = installed.lib / "cairn" / "libcairn-run.so"
    symbols = [line.split()[-1] for line in output("nm", "-D", "--defined-only", path).splitlines()]
    expect(symbols and not any("cairn" in symbol for symbol in symbols),
           f"libcairn-run.so replaces {len(symbols)} functions, and exports no other name")
    expect((installed.lib / "cairn" / "libcairn-accelerator.so").exists(), "the accelerator is installed")
    ran = installed.run(installed.bin / "cairn", "run", "--transport=preload", "cat", "/sys/kernel/tracing/user_events_status")
    expect(ran.returncode == 0 and "\nActive: 0\n" in ran.stdout, f"cairn run emulates user_events for a program {ran.stderr}".strip())


def check_service(installed):
    """The service starts the installed program; systemd accepts it and the line for the tracing directory."""
    unit = installed.prefix / "lib" / "systemd" / "system" / "cairn-mount.service"
    text = unit.read_text(encoding="ascii")
    started = re.search(r"^ExecStart=(\S+) mount /sys/kernel/tracing$", text, re.M)
    expect(started and (installed.root / started[1].lstrip("/")).exists() and "Type=notify\n" in text,
           "the service starts the installed program, and its manager is notified")
    if shutil.which("systemd-analyze"):
        own = installed.directory / unit.name
        own.write_text(text.replace(started[1], "/bin/true"), encoding="ascii")
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", own], text=True, capture_output=True)
        expect(unit.name not in said.stderr, f"systemd accepts the service {said.stderr}".strip())
    line = installed.prefix / "lib" / "tmpfiles.d" / "cairn.conf"
    if shutil.which("systemd-tmpfiles"):
        said = subprocess.run(["systemd-tmpfiles", "--create", f"--root={installed.directory}", line], text=True, capture_output=True)
        made = installed.directory / "run" / "cairn"
        expect(made.is_dir() and made.stat().st_mode & 0o7777 == 0o700, f"the tracing directory is made {said.stderr}".strip())


def check_recording(installed, program, how):
    """The installed `cairn` records and decodes the program's events."""
    trace = f"{program}.perf.data"
    recorded = installed.run(installed.bin / "cairn", "record", "-e", "Install_Check_*", "-o", trace, "--", program)
    decoded = installed.run(installed.bin / "cairn", "decode", "-f", "jsonl", trace)
    numbers = [int(number) for number in re.findall(r'"number":\s*(\d+)', decoded.stdout)]
    expect(recorded.returncode == 0 and decoded.returncode == 0 and numbers == list(range(COUNT)),
           f"{how}: builds, is recorded, decodes")
    if numbers != list(range(COUNT)):
        print(recorded.stderr, decoded.stdout, decoded.stderr, file=sys.stderr)


def check_program(installed, compiler, language, is_static):
    how = f"a program in {language}, linked {'statically' if is_static else 'dynamically'}"
    program = installed.directory / f"program-{language.replace('+', 'p')}-{'static' if is_static else 'dynamic'}"
    standard = {"C": ["-xc", "-std=gnu17"], "C++": ["-xc++", "-std=gnu++17"]}[language]
    flags = installed.flags("cairn", "--static") + ["-static"] if is_static else installed.flags("cairn")
    built = installed.run(*compiler, *standard, "-Wall", "-Wextra", "-Werror", "-o", program, HERE / "program.c", *flags)
    if built.returncode:
        expect(False, f"{how}: {built.stderr}")
        return
    needed = installed.run("readelf", "-dW", program).stdout
    expect(("libcairn.so" in needed) != is_static, f"{how}: {'no library' if is_static else 'libcairn.so'} is needed")
    check_recording(installed, program, how)


def check_package(installed, compiler, package, call, is_static):
    """A program with one call links with the package's flags."""
    source = installed.directory / f"{package}.c"
    header, expression = call
    source.write_text(f"#include <{header}>\nint main(void)\n{{\n    return {expression};\n}}\n")
    flags = installed.flags(package, "--static") + ["-static"] if is_static else installed.flags(package)
    built = installed.run(*compiler, "-o", installed.directory / package, source, *flags)
    ran = installed.run(installed.directory / package) if built.returncode == 0 else built
    expect(ran.returncode == 0, f"{package}.pc, {'static' if is_static else 'dynamic'} {ran.stderr}".strip())


def copied(installed, build):
    """Makes a second installation of the first one: much quicker than by meson."""
    again, record = installed.directory / "again", pathlib.Path(build) / "installed.txt"
    shutil.copytree(installed.root, again, symlinks=True)
    lines = [line for line in record.read_text().splitlines() if line.startswith(str(installed.root))]
    with record.open("a") as file:
        file.write("".join(f"{again}{line.removeprefix(str(installed.root))}\n" for line in lines))
    return again


def check_uninstall(installed, build):
    """Uninstalling keeps other files, and their directories."""
    again = copied(installed, build)
    other = installed.lib / "libother.so"
    other.touch()
    output(TOOLS / "uninstall.py", build, "", installed.root)
    left = [str(path) for path in installed.root.rglob("*") if not path.is_dir()]
    expect(left == [str(other)] and not [*installed.root.rglob("*cairn*")], f"uninstalling keeps other files: {left}")
    output(TOOLS / "uninstall.py", build, "", again)
    expect(not again.exists(), "uninstalling removes the directories that were created")


def main(meson, build, cc, cxx=None):
    with tempfile.TemporaryDirectory(prefix="cairn-install-") as directory:
        installed = Installed(shlex.split(meson), build, pathlib.Path(directory))
        check_files(installed)
        for name in LIBRARIES:
            check_library(installed, name)
        for name in (*LIBRARIES, "cairn-core"):
            check_archive(installed, name)
        check_run(installed)
        check_service(installed)
        for is_static in (False, True):
            check_program(installed, shlex.split(cc), "C", is_static)
            if cxx:
                check_program(installed, shlex.split(cxx), "C++", is_static)
            check_package(installed, shlex.split(cc), "cairn-collect",
                          ("cairn/decode.h", "cairn_event_error_text(0) == 0"), is_static)
        check_package(installed, shlex.split(cc), "cairn-mount", ("cairn/mount.h", 'cairn_mount_is_at("/nowhere")'), False)
        check_package(installed, shlex.split(cc), "cairn-core",
                      ("cairn/kernel/trace_buffer.h", "cairn_trace_buffer_memory_bytes(4, 1 << 20) == 0"), True)
        check_uninstall(installed, build)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
