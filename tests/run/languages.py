#!/usr/bin/env python3
"""A program in some language registers an event and writes three, by a mount: with nothing loaded, and with what `cairn run` loads
for fast writes.

usage: languages.py CAIRN LANGUAGE
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from mount import SKIP, say, why_not  # noqa: E402

SOURCES = pathlib.Path(__file__).resolve().parent / "languages"
COUNT = 3
BUILD_LIMIT = 600

# The tool, the Debian package that has it, the command that builds a program, and the command that runs it. {source} is the
# directory of the sources, {program} what was built.
LANGUAGES = {
    "go": ("go", "golang-go", ["go", "build", "-o", "{program}", "{source}/register.go"], ["{program}"]),
    "musl": ("musl-gcc", "musl-tools", ["musl-gcc", "-o", "{program}", "{source}/register.c"], ["{program}"]),
    "musl-static": ("musl-gcc", "musl-tools", ["musl-gcc", "-static", "-o", "{program}", "{source}/register.c"], ["{program}"]),
    "static": ("gcc", "gcc", ["gcc", "-static", "-o", "{program}", "{source}/register.c"], ["{program}"]),
    "address-sanitizer": ("gcc", "gcc", ["gcc", "-fsanitize=address", "-o", "{program}", "{source}/register.c"], ["{program}"]),
    "rust": ("rustc", "rustc", ["rustc", "--edition=2021", "-o", "{program}", "{source}/register.rs"], ["{program}"]),
    "python": ("python3", "python3", None, ["python3", "{source}/register.py"]),
    "perl": ("perl", "perl", None, ["perl", "{source}/register.pl"]),
    "ruby": ("ruby", "ruby", None, ["ruby", "{source}/register.rb"]),
    "dotnet-way": ("python3", "python3", None, ["python3", "{source}/pass.py"]),
}


def fill(command, program):
    return [word.format(source=SOURCES, program=program) for word in command]


def build(command, program, directory):
    env = dict(os.environ, GOCACHE=f"{directory}/go-cache", GOPATH=f"{directory}/go", GO111MODULE="off", CGO_ENABLED="0")
    subprocess.run(fill(command, program), env=env, timeout=BUILD_LIMIT, check=True)


def check(cairn, options, name, command, directory):
    data = str(pathlib.Path(directory, "events.data"))
    printed = say(cairn, "record", "-e", "language_*", "-o", data, "--", cairn, "run", "--quiet", "--backend=local", *options, "--",
                  *command, name, stderr=subprocess.DEVNULL)
    assert printed == "enabled 1\n", f"{options}: {printed!r}"
    events = [json.loads(line) for line in say(cairn, "decode", "-f", "jsonl", data).splitlines()]
    found = [(event["event"], event["fields"]) for event in events]
    assert found == [(name, {"number": number}) for number in range(COUNT)], f"{options}: {found}"


def main():
    cairn, language = os.path.abspath(sys.argv[1]), sys.argv[2]
    tool, package, builds, runs = LANGUAGES[language]
    reason = why_not() or (None if shutil.which(tool) else f"there is no {tool}: apt-get install {package}")
    if reason:
        print("skipped:", reason)
        return SKIP
    with tempfile.TemporaryDirectory(prefix="cairn-languages-", ignore_cleanup_errors=True) as directory:
        os.environ["CAIRN_TRACING_DIR"] = str(pathlib.Path(directory, "tracing"))
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        os.mkdir(os.environ["CAIRN_TRACING_DIR"], 0o700)
        program = str(pathlib.Path(directory, "program"))
        if builds:
            build(builds, program, directory)
        name = "language_" + language.replace("-", "_")
        for options in (["--fuse"], ["--transport=mount"]):
            check(cairn, options, name, fill(runs, program), directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
