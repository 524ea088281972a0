#!/usr/bin/env python3
"""Boots an image in QEMU and checks its output: TAP, over the serial line.

usage: run.py ARCH QEMU IMAGE [EXPECTED] | run.py --skip WHY

The output between a line ">>> NAME" and a line "<<<" must be that of EXPECTED, except for times and ids. ">>> NAME [ARCH]" is for
one architecture.
"""
import pathlib
import re
import subprocess
import sys

# How to start each machine, and the status of QEMU after a successful image.
MACHINES = {
    "x86_64": (["-machine", "q35", "-cpu", "max", "-device", "isa-debug-exit,iobase=0xf4,iosize=0x04"], 33),
    "aarch64": (["-machine", "virt,gic-version=2", "-cpu", "cortex-a57", "-semihosting-config",
                 "enable=on,target=native"], 0),
    "riscv64": (["-machine", "virt", "-bios", "none"], 0),
}
TIMEOUT_S = 1000


def accelerator(qemu):
    """One thread for each CPU, except in versions whose translator misses code that another CPU writes at the same time."""
    text = subprocess.run([qemu, "--version"], check=True, capture_output=True, text=True).stdout
    version = tuple(map(int, re.search(r"version (\d+)\.(\d+)", text).groups()))
    return "tcg,thread=" + ("multi" if version >= (8, 1) else "single")


def boot(arch, qemu, image):
    """Returns (status or None, output)."""
    machine, _ = MACHINES[arch]
    command = [qemu, *machine, "-accel", accelerator(qemu), "-smp", "2", "-m", "128", "-nodefaults", "-no-user-config",
               "-display", "none", "-no-reboot", "-serial", "stdio", "-kernel", image]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=TIMEOUT_S, check=False)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace")


# Files whose lines are not sorted: their order is the linker's, or that of a hash table.
UNORDERED = {"available_events", "set_event", "saved_cmdlines"}


def sections(lines, arch):
    """Returns [name, lines] of the sections to compare."""
    found = []
    inside = False
    for line in lines:
        mark = re.fullmatch(r">>> (.*?)(?: \[(\w+)\])?", line)
        if mark:
            inside = mark[2] in (None, arch)
            if inside:
                found.append([mark[1], []])
        elif line == "<<<":
            inside = False
        elif inside:
            found[-1][1].append(re.sub(r"^ID: \d+$", "ID: N", re.sub(r" \d+\.\d{6}: ", " TIME: ", line)))
    return [[name, sorted(text) if name in UNORDERED else text] for name, text in found]


def difference(arch, lines, expected):
    """Returns the first difference from the expected output, or None."""
    printed = sections(lines, arch)
    wanted = sections(pathlib.Path(expected).read_text().splitlines(), arch)
    for one, other in zip(printed, wanted):
        if one != other:
            return "\n".join([f"{other[0]}: expected", *other[1], f"{one[0]}: printed", *one[1]])
    return None if len(printed) == len(wanted) else f"{len(printed)} sections instead of {len(wanted)}"


def wrong_with(arch, status, lines):
    """Returns the error, or None."""
    checks = [line for line in lines if re.match(r"(not )?ok \d+ - ", line)]
    if status is None:
        return f"no end after {TIMEOUT_S} s"
    if any(line.startswith("not ok") for line in checks):
        return "a check failed"
    if not checks or lines[-1:] != [f"1..{len(checks)}"]:
        return "it ended in the middle"
    if status != MACHINES[arch][1]:
        return f"QEMU ended with {status}"
    return None


def main(arch, qemu, image, expected=None):
    status, text = boot(arch, qemu, image)
    lines = text.splitlines()
    print(text)
    wrong = wrong_with(arch, status, lines)
    if not wrong and expected:
        wrong = difference(arch, lines, expected)
    if wrong:
        print(f"{image}: {wrong}")
    return wrong is not None


if __name__ == "__main__":
    if sys.argv[1] == "--skip":
        print(f"skipped: {sys.argv[2]}")
        sys.exit(77)
    sys.exit(main(*sys.argv[1:]))
