#!/usr/bin/env python3
"""The accelerator of `cairn run`: while the server of the mount is stopped, a program writes events, which are recorded; and what
is no event, or is not written to user_events_data, is not taken for one.

usage: accelerator.py CAIRN PROGRAM
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from mounting import SKIP, can_mount  # noqa: E402

LIMIT = 60


def server_of(word):
    """The process that serves the command whose arguments contain a word."""
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (path / "comm").read_text() == "cairn-mount\n" and word in (path / "cmdline").read_text():
                return int(path.name)
        except OSError:
            pass
    raise AssertionError("no server")


class Program:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def say(self, line):
        """What the program prints for a line."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = []
        while (said := self.process.stdout.readline()) != "done\n":
            assert said, f"{line}: the program ended"
            answer.append(said.strip())
        return answer

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(LIMIT) == 0


def numbers(cairn, data):
    lines = subprocess.run([cairn, "decode", "-f", "jsonl", data], check=True, text=True, stdout=subprocess.PIPE).stdout
    return [json.loads(line)["fields"]["number"] for line in lines.splitlines()]


def check(cairn, program, directory, *options):
    """Returns the numbers of the events that were recorded."""
    data, file = f"{directory}/events.data", f"{directory}/file"
    recorder = subprocess.Popen([cairn, "record", "-e", "accelerated", "-o", data], stderr=subprocess.PIPE, text=True)
    recorder.stderr.readline()
    writer = Program(cairn, "run", "-q", "--backend=local", "--transport=mount", *options, "--", program, file, *(["stream"] if options else []))
    server = server_of(file)
    writer.say("write 9")  # and one by a child: the kernel asks the server once if it needs to know of closing
    if "--no-accelerator" not in options:
        os.kill(server, signal.SIGSTOP)
    writer.say("write 300")
    os.kill(server, signal.SIGCONT)
    bad = writer.say("bad")
    assert bad == ["No such file or directory, Bad address, Invalid argument, Bad file descriptor"], bad
    for how in ("file", "fdopen"):
        said = writer.say(how)
        assert said == ["8 bytes"], f"{how}: {said}"
        writer.say("write 10")
    writer.end()
    recorder.send_signal(signal.SIGINT)
    _, report = recorder.communicate(timeout=LIMIT)
    assert recorder.returncode == 0, report
    return numbers(cairn, data)


def main(cairn, program):
    if not can_mount(cairn):
        return SKIP
    for options in ([], ["--no-accelerator"]):
        with tempfile.TemporaryDirectory(prefix="cairn-run-", ignore_cleanup_errors=True) as directory:
            os.environ["CAIRN_TRACING_DIR"] = f"{directory}/tracing"
            found = check(os.path.abspath(cairn), os.path.abspath(program), directory, *options)
            assert found == list(range(10 + 301 + 2 * 11)), f"{options}: {found}"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
