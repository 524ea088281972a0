"""Users for tests that need several: root can become any user. Their numbers should not be those of real users."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

TRACERS = 61100  # the group
failures = 0
programs = []  # that were started


def check(what, good, details=""):
    global failures
    print(f"{'ok' if good else 'not ok'} - {what}" + (f"\n    {details}" if not good else ""))
    failures += not good


class User:
    """A user with a home directory."""

    def __init__(self, number, groups, directory, build):
        self.number = number
        self.groups = groups
        self.directory = directory / str(number)
        self.build = build
        self.directory.mkdir(mode=0o700)
        os.chown(self.directory, number, number)

    def start(self, tracing, *command):
        env = {"PATH": f"{self.build}:{self.build}/tests/cli:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "CAIRN_BACKEND": "local",
               "XDG_RUNTIME_DIR": str(self.directory),
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        if tracing:
            env["CAIRN_TRACING_DIR"] = str(tracing)
        programs.append(subprocess.Popen(command, cwd=self.directory, env=env, user=self.number, group=self.number,
                                         extra_groups=self.groups, umask=0o077, text=True, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT))
        return programs[-1]

    def run(self, tracing, *command):
        """(exit status, output)"""
        program = self.start(tracing, *command)
        out, _ = program.communicate(timeout=600)
        return program.returncode, out

    def own(self, tracing):
        """This user's tracing directory."""
        if not tracing:
            return self.directory / "cairn"
        return tracing / str(self.number) if (tracing.stat().st_uid == 0 and tracing.stat().st_mode & 0o20) else tracing

    def record(self, tracing, pattern):
        """Starts a recorder and waits until its session has begun. None: it could not begin."""
        sessions = self.own(tracing) / "sessions"
        before = set(sessions.glob("*"))
        program = self.start(tracing, "cairn", "record", "-q", "-e", pattern, "-o", "data")
        for _ in range(100000):
            if program.poll() is not None:
                return None
            if set(sessions.glob("*")) - before:
                return program
            time.sleep(0.002)
        sys.exit("a recorder does not begin")

    def sees(self, tracing, what, *command):
        """Waits until the command's output contains this text. Returns the output."""
        for _ in range(500):
            _, out = self.run(tracing, *command)
            if what in out:
                return out
            time.sleep(0.02)
        sys.exit(f"{command} does not print {what}: {out}")

    def recorded(self, recorder):
        """Ends a recorder. Returns the names of the recorded events."""
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=600)
        code, out = self.run(None, "cairn", "decode", "-f", "jsonl", "data")
        if code:
            sys.exit(f"the recording cannot be read: {out}")
        return [json.loads(line)["event"] for line in out.splitlines()]

    def readable(self, tracing):
        """The files in a directory that this user can open."""
        _, out = self.run(None, "sh", "-c", 'find "$0" -type f -exec sh -c \'true < "$1" && echo "$1"\' - {} \\; 2> /dev/null; '
                          'for i in registry lock user_events_status trace; do true < "$0/$i" && echo $i; done 2> /dev/null',
                          str(tracing))
        return out.split()


def failed():
    return bool(failures)


def end_all():
    for program in programs:
        program.kill()


def load():
    """The load of the machine, by which time limits are extended."""
    return os.getloadavg()[0]
