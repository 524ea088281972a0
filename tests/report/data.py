#!/usr/bin/env python3
"""Reads the data of a page as its script does, and compares it with what `cairn decode` prints: each event is there with its time,
thread and values, and each level of detail contains all of them.

usage: data.py BUILD
"""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

OFFSET, SIZE, RAW, BEGIN, END, FIRST, COUNT = range(7)
SPAN, SCHED = 1, 2
failures = []


def expect(shown, wanted, what):
    if shown != wanted:
        failures.append(f"{what}: {shown!r}, not {wanted!r}")


class Page:
    def __init__(self, path):
        text = path.read_text()
        parts = re.findall(r'<script type="text/plain" class="cairn-data">([^<]*)</script>', text)
        self.data = b"".join(map(base64.b64decode, parts))
        self.index = json.loads(re.search(r'<script type="text/plain" id="cairn-index">([^<]*)</script>', text)[1])

    def block(self, block):
        data = self.data[block[OFFSET]:block[OFFSET] + block[SIZE]]
        return data if block[SIZE] == block[RAW] else zlib.decompress(data)

    def columns(self, block, count):
        """The columns of a block: lists of numbers."""
        data = self.block(block)
        numbers = []
        number = shift = 0
        for byte in data:
            number |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                numbers.append(number)
                number = shift = 0
        rows = block[COUNT]
        expect(len(numbers), rows * count, "numbers of a block")
        return [numbers[n * rows:(n + 1) * rows] for n in range(count)]

    def events(self):
        for block in self.index["rows"]:
            times, *others = self.columns(block, 5)
            time = 0
            for difference, thread, kind, cpu, flags in zip(times, *others):
                time += -(difference + 1) // 2 if difference % 2 else difference // 2
                yield time, self.index["threads"][thread], self.index["kinds"][kind], cpu - 1, flags

    def values(self):
        for block in self.index["values"]:
            lines = self.block(block).decode().split("\n")
            expect(len(lines), block[COUNT] + 1, "lines of values")
            yield from lines[:-1]


def check_levels(page):
    """What is in a level's cells, in its items and in those of the levels above, is everything."""
    levels = page.index["levels"]
    instants = sum(1 for *_, flags in page.events() if not flags & (SPAN | SCHED))
    items = [sum(block[COUNT] for block in level["items"]) for level in levels]
    for number, level in enumerate(levels):
        if not level["has_cells"]:
            continue
        counted = sum(sum(page.columns(block, 5)[3]) for block in level["cells"])
        expect(counted + sum(items[number:]), instants + sum(items), f"events and items of level {number}")
    for number, level in enumerate(levels):
        for block in level["items"]:
            durations = page.columns(block, 5)[1]
            expect(all(duration >= level["width"] for duration in durations), True, f"durations of level {number}")


def check_recording(cairn, directory, environment):
    def run(*arguments):
        return subprocess.run([cairn, *arguments], stdout=subprocess.PIPE, check=True, env=environment, cwd=directory).stdout

    work = cairn.parent / "tests/cli/work"
    run("record", "-q", "-e", "Cli_Work*", "-o", "t.cairn", "--", "sh", "-c", f"{work} 6000; {work} spans")
    run("report", "-q", "-o", "t.html", "t.cairn")
    page = Page(directory / "t.html")
    events = [json.loads(line) for line in run("decode", "-f", "jsonl", "t.cairn").splitlines()]
    base = int(page.index["base_ns"])
    shown = [(base + time, thread[1], thread[2], thread[3], cpu, kind["provider"], kind["event"])
             for time, thread, kind, cpu, _ in page.events()]
    wanted = [tuple(one.get(key) for key in ("time_ns", "pid", "tid", "comm", "cpu", "provider", "event")) for one in events]
    expect(shown == wanted, True, "events")
    # Without names: brackets of structs are those of lists then.
    values = [json.dumps([list(value.values()) if isinstance(value, dict) else value for value in one["fields"].values()],
                         separators=(",", ":")) for one in events]
    lines = [json.dumps(json.loads("[" + line.split("\t")[0].replace("{", "[").replace("}", "]") + "]"), separators=(",", ":"))
             for line in page.values()]
    expect(lines == values, True, "values")
    check_levels(page)


def check_scene(build, directory):
    subprocess.run([build / "tests/report/report_scene", directory / "s.html", "2000"], check=True)
    page = Page(directory / "s.html")
    expect(page.index["events"], 2 + 2000 * 9, "events of the scene")
    expect(page.index["spans"], 4000, "its spans")
    requests = next(kind for kind in page.index["kinds"] if kind["event"] == "Request" and "durations" in kind)
    expect(requests["durations"][0], 2000, "durations of requests")
    expect((requests["durations"][2], requests["durations"][6]), (27500, 37400), "their least and greatest")
    check_levels(page)


def check_overlapping(build, directory):
    """Spans of a thread that are open at the same time: each has its own name and duration, and up to 64 have a lane each."""
    subprocess.run([build / "tests/report/report_scene", directory / "o.html", "0", "100"], check=True)
    page = Page(directory / "o.html")
    spans = []
    for level in page.index["levels"]:
        for block in level["items"]:
            *_, tracks, names, _ = page.columns(block, 5)
            spans += zip(tracks, names)
    names = [page.index["kinds"][name]["event"] for _, name in spans]
    expect((names.count("Even"), names.count("Odd")), (50, 50), "names of overlapping spans")
    expect(len({track for track, _ in spans}), 64, "lanes of 100 spans")
    expect([kind["durations"][:3] for kind in page.index["kinds"] if "durations" in kind], [[50, 50000000, 1000000]] * 2,
           "their durations")


def main(build):
    build = pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        (directory / "td").mkdir(mode=0o700)
        check_recording(build / "cairn", directory, {**os.environ, "CAIRN_TRACING_DIR": str(directory / "td")})
        check_scene(build, directory)
        check_overlapping(build, directory)
    print("\n".join(failures) or "data as expected")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
