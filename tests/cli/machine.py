#!/usr/bin/env python3
"""`cairn record -a` records the tracing directories of all users and of containers.

usage: machine.py BUILD_DIR

Runs in a mount and a pid namespace of its own, and makes others in it: needs root. Exit status 77: skipped.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SKIP = 77
USERS = 30001, 30002
GIVEN = 30003
GREEDY = 30004  # names more directories than are recorded of a user
GREEDY_DIRECTORIES = 66
INNER = """set -e
mount --bind "$1" /etc/hostname
mount -t tmpfs tmpfs /run; mount -t tmpfs tmpfs /dev/shm; mkdir -m 700 /run/cairn
unset CAIRN_TRACING_DIR XDG_RUNTIME_DIR
exec emit machine_inner 5 follow
"""


def wait_for(what, condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited too long for {what}")
        time.sleep(0.01)


def in_namespaces(build):
    for directory in "/run", "/dev/shm":
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", directory], check=True)
    path = f"{build}:{build}/tests/cli:{os.environ['PATH']}"
    programs = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        work = pathlib.Path(work)
        own = work / "own"
        own.mkdir(mode=0o700)
        (work / "hostname").write_text("inner-box\n")
        env = {**os.environ, "PATH": path, "CAIRN_TRACING_DIR": str(own)}
        for user in USERS:
            runtime = pathlib.Path(f"/run/user/{user}")
            runtime.mkdir(parents=True)
            (runtime / "cairn").mkdir(mode=0o700)
            os.chown(runtime, user, user)
            os.chown(runtime / "cairn", user, user)
            theirs = {**env, "XDG_RUNTIME_DIR": str(runtime)}
            del theirs["CAIRN_TRACING_DIR"]
            programs.append(subprocess.Popen(["emit", f"machine_{user}", "5", "follow"], env=theirs, user=user, group=user,
                                             stdout=subprocess.DEVNULL))
        programs.append(subprocess.Popen(["unshare", "-m", "-p", "--fork", "--mount-proc", "sh", "-c", INNER, "sh",
                                          str(work / "hostname")], env=env, stdout=subprocess.DEVNULL))
        unshare = programs[-1].pid
        given = pathlib.Path("/run/given")  # its path is known only from the environment of the program
        given.mkdir(mode=0o700)
        os.chown(given, GIVEN, GIVEN)
        programs.append(subprocess.Popen(["emit", f"machine_{GIVEN}", "5", "follow"], env={**env, "CAIRN_TRACING_DIR": str(given)},
                                         user=GIVEN, group=GIVEN, stdout=subprocess.DEVNULL))
        greedy = []
        children = pathlib.Path(f"/proc/{unshare}/task/{unshare}/children")
        wait_for("the container", lambda: children.read_text().split())
        inner = int(children.read_text().split()[0])
        registries = [pathlib.Path(f"/run/user/{user}/cairn/registry") for user in USERS]
        registries.append(pathlib.Path(f"/proc/{inner}/root/run/cairn/registry"))
        registries.append(given / "registry")
        for registry in registries:
            wait_for(registry, lambda r=registry: r.exists() and b"machine_" in r.read_bytes())
        try:
            subprocess.run(["cairn", "record", "-q", "-a", "-e", "machine_*", "--duration", "0.3", "-o", str(work / "t.cairn")],
                           env=env, check=True)
            subprocess.run(["cairn", "cat", "-o", str(work / "again.cairn"), str(work / "t.cairn")], env=env, check=True)
            for name in "t.cairn", "again.cairn":
                text = subprocess.run(["cairn", "decode", "-f", "jsonl", str(work / name)], env=env, check=True,
                                      capture_output=True, text=True).stdout
                check([json.loads(line) for line in text.splitlines()], programs, inner)
                with open(work / name, "rb") as stream:  # by two threads, which copy the events of a stream
                    other = subprocess.run(["cairn", "decode", "-j", "2", "-f", "jsonl", "-"], env=env, check=True, stdin=stream,
                                           capture_output=True, text=True).stdout
                if text != other:
                    sys.exit(f"{name}: two threads print other events:\n{other}")
            greedy += name_directories(env)
            check_limit(env, work, greedy)
        finally:
            for program in programs + greedy:
                program.kill()
                program.wait()


def name_directories(env):
    """Programs of a user, each with a tracing directory in its environment that another one has made."""
    programs = []
    for number in range(GREEDY_DIRECTORIES):
        directory = pathlib.Path(f"/run/greedy/{number}")
        directory.mkdir(parents=True, mode=0o755)
        (directory / "registry").touch()
        os.chmod(directory, 0o700)
        os.chown(directory, GREEDY, GREEDY)
        programs.append(subprocess.Popen(["sleep", "1000"], env={**env, "CAIRN_TRACING_DIR": str(directory)}, user=GREEDY, group=GREEDY))
    return programs


def check_limit(env, work, programs):
    """Each of their directories beyond the limit is counted once."""
    done = subprocess.run(["cairn", "record", "-q", "-a", "-e", "machine_*", "--duration", "0.5", "-o", str(work / "l.cairn")], env=env,
                          stderr=subprocess.PIPE, text=True, check=False)
    expected = f"{len(programs) - 64} tracing directories were not recorded"
    if done.returncode != 3 or expected not in done.stderr:
        sys.exit(f"expected {expected}: exit status {done.returncode}: {done.stderr}")


def check(events, programs, inner):
    seen = {}
    for event in events:
        seen.setdefault(event["event"], set()).add((event["pid"], event["tid"], event.get("container"), event.get("comm")))
    expected = {f"machine_{user}": {(program.pid, program.pid, None, "emit")} for user, program in zip(USERS, programs)}
    expected[f"machine_{GIVEN}"] = {(programs[-1].pid, programs[-1].pid, None, "emit")}
    expected["machine_inner"] = {(inner, inner, "inner-box", "emit")}
    if seen != expected:
        sys.exit(f"expected {expected}\nrecorded {seen}")
    print(f"{len(events)} events of {len(seen)} tracing directories")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        in_namespaces(build)
        return
    unshare = ["unshare", "-m", "-p", "--fork", "--mount-proc"]
    if os.geteuid() or subprocess.run([*unshare, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        print("skipped: needs root, and namespaces")
        sys.exit(SKIP)
    sys.exit(subprocess.run([*unshare, sys.executable, __file__, str(build), "inside"], check=False).returncode)


if __name__ == "__main__":
    main()
