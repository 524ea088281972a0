#!/usr/bin/env python3
"""tools/setup.sh installs what other machines need: it is run with a dpkg, an apt and a clang that answer like theirs.

usage: check_setup.py SOURCE_ROOT
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# The programs. They answer from files in their directory: the installed packages, those that apt knows, the version of clang, the
# errors that apt-get prints first.
PROGRAMS = {
    "dpkg-query": """sed 's/$/ install ok installed/' "$here/installed\"""",
    "apt-cache": """
case $1 in
show) grep -qx "$2" "$here/known" ;;
depends) [[ -s $here/known ]] && echo "  Depends: clang-$(<"$here/clang-number")" ;;
esac""",
    "apt-get": """
echo "$*" >>"$here/calls"
if [[ -s $here/refusals ]]; then
  head -n 1 "$here/refusals" >&2
  sed -i 1d "$here/refusals"
  exit 100
fi
action=0
wanted=()
for word; do
  case $word in
  update) cp "$here/archive" "$here/known" ;;
  install) action=1 ;;
  -* | *::*) ;;
  *) ((!action)) || wanted+=("$word") ;;
  esac
done
((action)) || exit 0
unknown=$(printf '%s\\n' "${wanted[@]}" | grep -vxFf "$here/known" | head -n 1)
[[ -z $unknown ]] || { echo "E: Unable to locate package $unknown" >&2; exit 100; }
printf '%s\\n' "${wanted[@]}" >>"$here/installed\"""",
}
LOCKED = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 (apt-get)"
LISTS_LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 812 (apt-get)"

failures = []


def usual_packages(setup):
    """The packages for building and testing whose names do not depend on Debian's version."""
    lists = re.findall(r"^  \[(?:build|test)\]=\"(.*)\"$", setup.read_text(), re.M)
    return [word for words in lists for word in words.split() if not word.isupper()]


class Machine:
    """A machine whose archive has these packages in addition to the usual ones."""

    def __init__(self, root, directory, clang, more, installed=(), has_lists=True, refusals=()):
        self.setup = root / "tools" / "setup.sh"
        self.directory = directory
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        usual = usual_packages(self.setup)
        self.write("archive", [*usual, *more])
        self.write("known", [*usual, *more] if has_lists else [])
        self.write("installed", installed)
        self.write("refusals", refusals)
        self.write("calls", [])
        self.write("clang-number", [clang])
        for name, script in PROGRAMS.items():
            self.program(name, script)

    def write(self, name, lines):
        (self.directory / name).write_text("".join(f"{line}\n" for line in lines))

    def lines(self, name):
        return (self.directory / name).read_text().splitlines()

    def program(self, name, script):
        path = self.directory / name
        path.write_text(f"#!/bin/bash\nhere={self.directory}\n{script}\n")
        path.chmod(0o755)

    def run(self, *purposes, wait=60):
        return subprocess.run([self.setup, *purposes], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=os.environ | {"PATH": f"{self.directory}:{os.environ['PATH']}", "CAIRN_APT_WAIT": str(wait),
                                                "BUILD": str(self.directory / "no-build")})


def expect(condition, what, ran, machine):
    print("ok  " if condition else "FAIL", what)
    if not condition:
        print(ran.returncode, ran.stdout, *machine.lines("calls"), sep="\n")
        failures.append(what)


def main(root):
    root = pathlib.Path(root)
    usual = usual_packages(root / "tools" / "setup.sh")
    with tempfile.TemporaryDirectory(prefix="cairn-setup-") as directory:
        directory = pathlib.Path(directory) / "machine"

        machine = Machine(root, directory, "99", [], installed=[*usual, "libclang-rt-99-dev"])
        machine.program("clang", "echo 'Some clang version 99.1.2 (1)'")
        ran = machine.run("build", "test")
        expect(ran.returncode == 0 and not machine.lines("calls"), "nothing is installed on a machine that has all", ran, machine)
        if os.geteuid():
            machine = Machine(root, directory, "99", [])
            machine.program("clang", "exit 127")
            ran = machine.run("build", "test")
            expect(ran.returncode == 1 and "sudo apt-get install gcc " in ran.stdout and
                   "libclang-rt-99-dev" in ran.stdout, "a user other than root gets the command", ran, machine)
            return 1 if failures else 0

        for number in ("14", "19", "21"):
            for has_lists in (True, False):
                more = [f"libclang-rt-{number}-dev", *(["qemu-system-riscv"] if number != "14" else [])]
                machine = Machine(root, directory, number, more, has_lists=has_lists)
                machine.program("clang", "exit 127")
                ran = machine.run("build", "test")
                expect(ran.returncode == 0 and set(machine.lines("installed")) >= {*usual, *more},
                       f"clang {number} is installed {'with' if has_lists else 'without'} lists of packages",
                       ran, machine)

        machine = Machine(root, directory, "19", ["libclang-rt-16-dev", "libclang-rt-19-dev"], installed=usual)
        machine.program("clang", "echo 'Debian clang version 16.0.6 (27)'")
        ran = machine.run("build", "test")
        expect(ran.returncode == 0 and "libclang-rt-16-dev" in machine.lines("installed"),
               "the installed clang determines the packages, not the archive's", ran, machine)

        for first in (LOCKED, LISTS_LOCKED):
            machine = Machine(root, directory, "19", ["libclang-rt-19-dev"], refusals=[first])
            machine.program("clang", "exit 127")
            ran = machine.run("build", "test")
            expect(ran.returncode == 0 and "waiting for another apt" in ran.stdout and len(machine.lines("calls")) == 2,
                   f"setup waits for another apt: {first[:50]}", ran, machine)
        machine = Machine(root, directory, "19", ["libclang-rt-19-dev"], refusals=[LOCKED] * 100)
        ran = machine.run("build", wait=1)
        expect(ran.returncode == 1 and "It is held by process 812" in ran.stdout, "but not without end", ran, machine)
        machine = Machine(root, directory, "19", [])
        machine.program("clang", "echo 'Debian clang version 19.1.7 (3)'")
        ran = machine.run("build", "test")
        expect(ran.returncode == 1 and "Unable to locate package libclang-rt-19-dev" in ran.stdout,
               "a package that does not exist is named", ran, machine)
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
