#!/usr/bin/env python3
"""perf and cairn, recording the same command at once, count the same events of the kernel; and find the same hottest functions.

usage: beside_perf.py BUILD_DIR

Exit status 77: skipped, because there is no perf, or the kernel's events cannot be recorded.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from kernel_events import can_record  # noqa: E402

SKIP = 77
PATTERNS = ["sched:sched_process_exec", "sched:sched_process_exit", "syscalls:sys_enter_openat", "syscalls:sys_exit_openat",
            "syscalls:sys_enter_close", "syscalls:sys_exit_close", "syscalls:sys_enter_mmap", "syscalls:sys_enter_execve"]
COMMAND = ["sh", "-c", "for i in 1 2 3 4 5 6 7 8; do cat /proc/self/status | wc -l; done >/dev/null; exit 0"]
KERNEL_STRING = "rcu:rcu_utilization"
SYSCALL = "syscalls:sys_enter_getppid"
HOTTEST = 10


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **options).stdout


def counts_are_equal(work):
    """perf records cairn, too: the processes that the command's first one forks are recorded by both from their beginning."""
    patterns = os.environ.get("PATTERNS", " ".join(PATTERNS)).split()
    perf = ["perf", "record", "-q", "-o", work / "p.data", *(word for p in patterns for word in ("-e", p)), "--"]
    cairn = ["cairn", "record", "-q", "-o", work / "c.cairn", *(word for p in patterns for word in ("-k", p)), "--"]
    run(*perf, *cairn, *COMMAND)
    ours = [json.loads(line) for line in run("cairn", "decode", "-f", "jsonl", work / "c.cairn").splitlines()]
    first = ours[0]["pid"]
    by_cairn = collections.Counter((e["pid"], f"{e['provider']}:{e['event']}") for e in ours if e["pid"] != first)
    pids = {pid for pid, _ in by_cairn}
    by_perf = collections.Counter()
    for line in run("perf", "script", "-i", work / "p.data", "-F", "pid,event").splitlines():
        pid, event = line.split()[:2]
        if int(pid) in pids:
            by_perf[int(pid), event.rstrip(":")] += 1
    if by_cairn != by_perf:
        sys.exit(f"not counted alike: {(by_cairn - by_perf) or ''} {(by_perf - by_cairn) or ''}")
    totals = collections.Counter()
    for (_, event), count in by_cairn.items():
        totals[event] += count
    return f"{sum(totals.values())} events of {len(totals)} tracepoints and {len(pids)} processes, " \
           f"{totals['sched:sched_process_exec']} of sched:sched_process_exec"


def strings_are_equal(work):
    """Events that have the address of one of the kernel's strings. cairn's own recording of this boot names it, too."""
    recorded = subprocess.run(["perf", "record", "-q", "-a", "-e", KERNEL_STRING, "-o", work / "s.data", "--", "sleep", "0.2"],
                              capture_output=True, text=True, check=False)
    if recorded.returncode:
        return f"none: {recorded.stderr.strip()}"
    by_perf = [line.strip() for line in run("perf", "script", "-i", work / "s.data", "-F", "trace").splitlines()]
    by_cairn = [line.split(": ", 2)[2].strip() for line in run("cairn", "decode", "-f", "text", work / "s.data").splitlines()]
    must_be("strings in perf.data", by_cairn, by_perf)
    run("cairn", "record", "-q", "-a", "-k", KERNEL_STRING, "-o", work / "s.cairn", "--", "sleep", "0.2")
    ours = {line.split(": ", 2)[2].strip() for line in run("cairn", "decode", "-f", "text", work / "s.cairn").splitlines()}
    if ours - set(by_perf) and all(text.startswith("0x") for text in ours):
        sys.exit(f"strings without a name: {ours}")
    return f"{len(by_perf)} events, {len(set(by_perf))} strings"


def hottest(functions):
    return collections.Counter(functions).most_common(HOTTEST)


def innermost(stacks):
    """The first function that is one of the program's, if the stack continues to main."""
    return hottest(next(name for name in names if name.startswith("hot_")) for names in stacks if "main" in names)


def innermost_by_perf(recording):
    stacks = []
    for line in run("perf", "script", "-i", recording).splitlines():
        frame = re.match(r"\s+[0-9a-f]+ (\w+)", line)
        if SYSCALL in line:
            stacks.append([])
        elif stacks and frame:
            stacks[-1].append(frame.group(1))
    return innermost(stacks)


def innermost_by_cairn(recording):
    events = map(json.loads, run("cairn", "decode", "-f", "jsonl", recording).splitlines())
    return innermost([frame.get("symbol", "") for frame in event.get("stack", [])] for event in events)


def must_be(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found}\nexpected: {expected}")


def profiles_are_equal(work):
    known = [(f"hot_{n}", 20 * n) for n in range(12, 12 - HOTTEST, -1)]
    run("perf", "record", "-q", "-g", "-e", SYSCALL, "-o", work / "fp.data", "--", "hot")
    run("cairn", "record", "-q", "-g", "-k", SYSCALL, "-o", work / "fp.cairn", "--", "hot")
    must_be("perf, by frame pointers", innermost_by_perf(work / "fp.data"), known)
    must_be("cairn, by frame pointers", innermost_by_cairn(work / "fp.cairn"), known)
    run("perf", "record", "-q", "-m", "8M", "--call-graph", "dwarf,1024", "-e", SYSCALL, "-o", work / "dw.data", "--",
        "hot_without_frames")
    run("cairn", "record", "-q", "--call-graph", "dwarf,1K", "-k", SYSCALL, "-o", work / "dw.cairn", "--", "hot_without_frames")
    run("cairn", "convert", work / "dw.cairn", work / "again.data")
    # perf may lose some of the stacks, which fill its ring.
    must_be("perf, by DWARF", [name for name, _ in innermost_by_perf(work / "dw.data")], [name for name, _ in known])
    must_be("cairn, by DWARF", innermost_by_perf(work / "again.data"), known)
    return known


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    os.environ["PATH"] = f"{build}:{build}/tests/cli:{os.environ['PATH']}"
    if not shutil.which("perf") or not can_record():
        print("skipped: no perf, or events of the kernel cannot be recorded")
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        work = pathlib.Path(work)
        os.environ["CAIRN_TRACING_DIR"] = str(work / "own")
        (work / "own").mkdir(mode=0o700)
        print("equal counts:", counts_are_equal(work))
        print("equal strings:", strings_are_equal(work))
        print("equal profiles:", profiles_are_equal(work))


if __name__ == "__main__":
    main()
