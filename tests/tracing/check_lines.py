#!/usr/bin/env python3
"""Test of lines with any texts: each event is one line, in valid UTF-8 without control characters, and valid JSON in the style
json, with the original texts. If localedef is installed, also in a locale with a decimal comma.

usage: check_lines.py HOSTILE_LINES
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

TEXTS = [b"", b"\n", b"a\r\nb", b'"}{"', b"\\", b"\\u0000", b"\x7f", b"\x1b[2J", b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80",
         b"\xf4\x90\x80\x80", b"\xe2\x80\xa8", b"\xc2\x9b31m", "é\U0001f600".encode(), b"x" * 70000, b"%s%n", b"{}", b"</script>"]


def texts():
    generator = random.Random(6)
    return TEXTS + [bytes(generator.randrange(1, 256) for _ in range(generator.randrange(40))) for _ in range(3000)]


def lines_of(program, style, environment):
    done = subprocess.run([program, style], input=b"".join(text + b"\0" for text in texts()), stdout=subprocess.PIPE, check=True,
                          env=os.environ | {"CAIRN_BACKEND": "none"} | environment, timeout=600)
    lines = done.stdout.decode("utf-8").split("\n")
    assert lines.pop() == "", "the last line has no end"
    assert len(lines) == len(texts()), f"{style}: {len(lines)} lines of {len(texts())} texts"
    return lines


def check_text(text, shown):
    """Each invalid byte becomes a replacement character; one newline at the end of a message is omitted."""
    assert shown.replace("\ufffd", "") == text.decode("utf-8", "ignore").replace("\ufffd", ""), (text, shown)


def check_json(program, environment):
    for text, line in zip(texts(), lines_of(program, "json", environment)):
        event = json.loads(line)
        fields = event["fields"]
        check_text(text, fields["value"])
        check_text(text, event["spans"][0]["fields"]["text"])
        check_text(text[:-1] if text.endswith(b"\n") else text, event.get("message", ""))
        assert event["pid"] == event["tid"] and event["pid"] > 0, line
        assert bytes.fromhex(fields["bytes"]) == text and fields["half"] == 0.5, line


def check_people(program, style, environment):
    for line in lines_of(program, style, environment):
        assert line.isprintable() or not any(ord(c) < 32 or 0x7f <= ord(c) < 0xa0 for c in line), line
        assert "half=0.5" in line, line


def check_all(program, environment):
    check_json(program, environment)
    check_people(program, "human", environment)
    check_people(program, "compact", environment)


def main(program):
    check_all(program, {})
    if not shutil.which("localedef"):
        return
    with tempfile.TemporaryDirectory(prefix="cairn-locale-") as directory:
        locale = pathlib.Path(directory) / "de_DE.UTF-8"
        if not subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", locale], capture_output=True, check=False).returncode:
            check_all(program, {"LOCPATH": directory, "LC_ALL": "de_DE.UTF-8"})
            print("with commas too")


if __name__ == "__main__":
    main(*sys.argv[1:])
