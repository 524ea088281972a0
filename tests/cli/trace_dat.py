#!/usr/bin/env python3
"""Files of trace-cmd, made here: all kinds of entries of a ring buffer's pages, both byte orders, damage. If trace-cmd is installed,
it reads the same events.

usage: trace_dat.py BUILD
"""
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from extent import size  # noqa: E402

PAGE = 4096
HEADER_PAGE = ("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
               "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n")
HEADER_EVENT = ("# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
                "\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n\tdata max type_len  == 28\n")
COMMON = ("format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
          "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
          "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
          "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n")
TICK = ("name: tick\nID: 300\n" + COMMON + "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"
        "\tfield:char text[100];\toffset:12;\tsize:100;\tsigned:0;\n\nprint fmt: \"n=%d text=%s\", REC->n, REC->text\n")
CALL = ("name: call\nID: 301\n" + COMMON + "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n\n"
        "print fmt: \"ip=%pS\", (void *)REC->ip\n")
SAY = ("name: say\nID: 302\n" + COMMON + "\tfield:const char * s;\toffset:8;\tsize:8;\tsigned:0;\n\n"
       "print fmt: \"%s\", REC->s\n")
STRINGS = '0xffffffff82001000 : "Start context switch"\n0xffffffff82001010 : "End: \\"all\\"\\n"'
SYMBOLS = "ffffffff81000000 T first\nffffffff81001000 t second\t[module]\nffffffff81002000 T last\n"


class Writer:
    """A ring buffer's page and a file, in a byte order."""

    def __init__(self, order):
        self.order = order
        self.body = b""

    def pack(self, kinds, *values):
        return struct.pack(self.order + kinds, *values)

    def head(self, kind, delta):
        self.body += self.pack("I", kind | delta << 5 if self.order == "<" else kind << 27 | delta)

    def data(self, delta, number, text=b"a", is_long=False):
        """An event, with its length in the head or in a word."""
        record = self.pack("HBBii", 300, 0, 0, 1234, number) + text.ljust(100, b"\0")
        if is_long:
            self.head(0, delta)
            self.body += self.pack("I", len(record) + 4)
        else:
            self.head(len(record) // 4, delta)
        self.body += record

    def call(self, delta, address, number=301):
        record = self.pack("HBBiQ", number, 0, 0, 1234, address)
        self.head(len(record) // 4, delta)
        self.body += record

    def page(self, time, flags=0, after=b""):
        page = self.pack("QQ", time, len(self.body) | flags) + self.body + after
        self.body = b""
        return page.ljust(PAGE, b"\0")

    def option(self, number, contents):
        return self.pack("HI", number, len(contents)) + contents

    def file(self, cpus, instance=(), statistics=(), symbols="", strings=""):
        """A file of version 6, perhaps with an instance's buffer, which has as many CPUs, and texts about them."""
        sized = lambda text: self.pack("Q", len(text)) + text.encode()  # noqa: E731
        head = b"\x17\x08\x44tracing6\0" + bytes([self.order == ">", 8]) + self.pack("I", PAGE)
        head += b"header_page\0" + sized(HEADER_PAGE) + b"header_event\0" + sized(HEADER_EVENT)
        head += self.pack("I", 0) + self.pack("I", 1) + b"test\0" + self.pack("I", 3) + sized(TICK) + sized(CALL) + sized(SAY)
        head += self.pack("I", len(symbols)) + symbols.encode() + self.pack("I", len(strings)) + strings.encode()
        head += sized("1234 worker\n") + self.pack("I", len(cpus))
        head += b"options  \0" + self.option(1, b"date") + b"".join(self.option(2, text) for text in statistics)
        buffers = [cpus, instance] if instance else [cpus]
        section_bytes = 10 + 16 * len(cpus)
        if instance:
            head += self.option(3, self.pack("Q", len(head) + 23 + 2 + section_bytes) + b"instance\0")
        head += self.pack("H", 0)
        at = (len(head) + section_bytes * len(buffers) + PAGE - 1) // PAGE * PAGE
        pages = b""
        for buffer in buffers:
            head += b"flyrecord\0"
            for cpu in buffer:
                head += self.pack("QQ", at + len(pages), len(cpu))
                pages += cpu
        return head.ljust(at, b"\0") + pages

    def section(self, number, contents, flags=0):
        return self.pack("HHIQ", number, flags, 0, len(contents)) + contents

    def file_of_sections(self, cpus, pack=None, statistics=(), buffers=(b"\0", b"instance\0")):
        """The same as version 7, each section and each page compressed by `pack` if there is one; the last buffer has the last CPU."""
        packed = (lambda data: self.pack("II", len(pack(data)), len(data)) + pack(data)) if pack else lambda data: data
        sized = lambda text: self.pack("Q", len(text)) + text.encode()  # noqa: E731
        data = b"\x17\x08\x44tracing7\0" + bytes([self.order == ">", 8]) + self.pack("I", PAGE)
        data += (b"zstd\0" if pack else b"none\0") + b"1.5.4\0"
        at_options = len(data)
        data += bytes(8)
        places = []
        for number, contents in [(16, b"header_page\0" + sized(HEADER_PAGE) + b"header_event\0" + sized(HEADER_EVENT)),
                                 (18, self.pack("I", 1) + b"test\0" + self.pack("I", 1) + sized(TICK)),
                                 (21, sized("1234 worker\n"))]:
            places.append((number, len(data)))
            data += self.section(number, packed(contents), bool(pack))
        numbers_of = {b"\0": range(len(cpus) - 1), b"instance\0": range(len(cpus))[-1:]}
        options_of_buffers = b""
        for name in buffers:
            numbers = numbers_of[name]
            buffer = self.pack("Q", len(data)) + name + b"local\0" + self.pack("II", PAGE, len(numbers))
            data += self.section(3, b"", bool(pack))
            for number in numbers:
                pages = [cpus[number][at:at + PAGE] for at in range(0, len(cpus[number]), PAGE)]
                stored = self.pack("I", len(pages)) + b"".join(packed(page) for page in pages) if pack else cpus[number]
                buffer += self.pack("IQQ", number, len(data), len(stored))
                data += stored
            options_of_buffers += self.option(3, buffer)
        second = len(data)
        data += self.section(0, packed(options_of_buffers + self.pack("HIQ", 0, 8, 0)), bool(pack))
        first = len(data)
        options = b"".join(self.pack("HIQ", number, 8, at) for number, at in places) + self.pack("HIQ", 0, 8, second)
        texts = b"".join(self.option(2, text) for text in statistics)
        data += self.section(0, packed(self.option(1, b"date") + texts + options), bool(pack))
        return data[:at_options] + self.pack("Q", first) + data[at_options + 8:]


def make(order):
    """Two CPUs; returns the file and the (time, cpu, number) of its events, in their order."""
    w = Writer(order)
    w.data(5, 1)
    w.data(10, 2, is_long=True)
    w.head(29, 7)  # an event that was removed, of 12 bytes after the head
    w.body += w.pack("I", 12) + bytes(8)
    w.head(30, 1)  # time: 2 << 27 | 1
    w.body += w.pack("I", 2)
    w.data(3, 3)
    w.head(31, 9)  # an absolute time
    w.body += w.pack("I", 16)
    w.data(0, 4)
    w.head(29, 0)  # the rest of the page is empty
    w.body += bytes(40)
    first = w.page(1000)
    w.data(0, 7)
    first += w.page(5 << 30, flags=3 << 30, after=w.pack("Q", 9))
    w.data(20, 5)
    w.data(1 << 26, 6)
    second = w.page(1000)
    extended = 1022 + (2 << 27 | 1) + 3
    expected = [(1005, 0, 1), (1015, 0, 2), (1020, 1, 5), (1020 + (1 << 26), 1, 6), (extended, 0, 3), ((16 << 27) + 9, 0, 4),
                (5 << 30, 0, 7)]
    return w, [first, second], expected


def zstd(data):
    return subprocess.run(["zstd", "-c"], input=data, capture_output=True, check=True).stdout


failures = 0


def check(name, holds, shown=""):
    global failures
    failures += not holds
    print(f"{'ok' if holds else 'not ok'}: {name} {'' if holds else shown}")


def decode(build, path, *options):
    done = subprocess.run([build / "cairn", "decode", *options, path], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def check_order(build, work, name, data, expected):
    path = work / "trace.dat"
    path.write_bytes(data)
    code, out, err = decode(build, path, "-f", "jsonl")
    events = [json.loads(line) for line in out.splitlines()]
    found = [(event["time_ns"], event["cpu"], event["fields"]["n"]) for event in events]
    check(f"{name}: events are in the order of time", sorted(expected) == found and code == 0, (found, err))
    check(f"{name}: names", all((e["event"], e["provider"], e["comm"], e["tid"]) == ("tick", "test", "worker", 1234) for e in events), events)
    check(f"{name}: losses are reported", "9 events were lost" in err, err)
    code, out, _ = decode(build, path, "-f", "text", "--head", "1")
    check(f"{name}: the print format is used", out.endswith("[000]     0.000001: tick: n=1 text=a\n"), out)
    with path.open("rb") as file:
        out = subprocess.run(["sh", "-c", f"cat | {build / 'cairn'} decode -f jsonl -"], stdin=file, capture_output=True, text=True, check=True).stdout
    check(f"{name}: from a pipe", len(out.splitlines()) == len(expected), out)


def check_losses(build, work, name, w):
    """The kernel's number is used of a CPU whose pages do not all have theirs."""
    w.data(0, 1)
    cpus = [w.page(1000, flags=3 << 30, after=w.pack("Q", 9))]
    w.data(0, 2)
    cpus.append(w.page(2000, flags=2 << 30))
    texts = [b"CPU: 0\nentries: 0\noverrun: 50\ncommit overrun: 3\n\0", b"CPU: 1\noverrun: 60\n\0", b"\nBuffer: instance\n\n\0",
             b"CPU: 0\noverrun: 70\n\0", b"CPU: 1\nentries: 0\noverrun: 20\n\0"]
    path = work / "lost.dat"
    for statistics, expected in (texts, 29), ((), 10), ([b"x" * 600, b"\n", b"CPU: 1"], 10):
        for version, data in ((6, w.file([cpus[0], b""], [b"", cpus[1]], statistics)), (7, w.file_of_sections(cpus, None, statistics))):
            path.write_bytes(data)
            code, _, err = decode(build, path)
            check(f"{name}, version {version}: {expected} events were lost", f" {expected} events were lost" in err and code == 0, err)


def check_names(build, work, w):
    """Addresses have the names that the recording has for them."""
    path = work / "names.dat"
    for symbols, expected in ((SYMBOLS, "second+0x10"), ("", "0xffffffff81001010"), (re.sub(r"(?m)^\w+", "0" * 16, SYMBOLS), "0xffffffff81001010")):
        w.call(0, 0xffffffff81001010)
        path.write_bytes(w.file([w.page(1000)], symbols=symbols))
        _, out, err = decode(build, path, "-f", "text")
        check(f"a function's name is that of the recording: {expected}", f"call: ip={expected}" in out, out + err)


def check_strings(build, work, w):
    """Pointers to constant strings of the kernel are printed as these, also in an export of one recording, or of several."""
    first, second, out = work / "strings.dat", work / "more.dat", work / "exported.dat"
    w.call(0, 0xffffffff82001000, 302)
    w.call(1, 0xffffffff82001010, 302)
    first.write_bytes(w.file([w.page(1000)], strings=STRINGS))
    w.call(0, 0xffffffff82001000, 302)
    w.call(0, 0xffffffff82002000, 302)
    second.write_bytes(w.file([w.page(2000)], strings=STRINGS + '\n0xffffffff82002000 : "another"\n'))
    one = ["Start context switch", 'End: \\"all\\"']
    cases = [([first], one), ([first, first], [one[0], one[0], one[1], one[1]]), ([first, second], [*one, one[0], "another"])]
    for inputs, expected in cases:
        subprocess.run([build / "cairn", "export", "-f", "trace.dat", "-o", out, *inputs], check=True)
        _, text, err = decode(build, out, "-f", "text")
        found = [line.partition("say: ")[2] for line in text.splitlines()]
        check(f"strings of the kernel are exported from {len(inputs)} files", found == expected, (found, err))
        copies = out.read_bytes().count(b"Start context switch")
        check("those of one kernel are there once", copies == (1 if inputs[-1] == first else 2), copies)
    if shutil.which("trace-cmd"):
        done = subprocess.run(["trace-cmd", "report", "-i", out], capture_output=True, text=True, check=False)
        check("trace-cmd prints the strings", done.stdout.count("Start context switch") == 2 and "another" in done.stdout, done)


def check_empty(build, work, w):
    """A recording without events, and one that was not finished."""
    path = work / "empty.dat"
    path.write_bytes(w.file_of_sections([]))
    done = decode(build, path, "-f", "text")
    check("a file whose buffers have no CPU has no events", done == (0, "", ""), done)
    path.write_bytes(w.file_of_sections([], buffers=()))
    code, _, err = decode(build, path, "-f", "text")
    check("a file without a buffer is refused", code == 1 and "no buffer of events" in err, err)


def write_copy(directory, w, cpus):
    """The files of tracefs with the same pages."""
    event = directory / "events/test/tick"
    event.mkdir(parents=True)
    (directory / "events/header_page").write_text(HEADER_PAGE)
    (directory / "events/header_event").write_text(HEADER_EVENT)
    (directory / "events/enable").write_text("0\n")
    (event / "format").write_text(TICK)
    (event / "id").write_text("300\n")
    (directory / "saved_cmdlines").write_text("1234 worker\n")
    for number, pages in enumerate(cpus):
        cpu = directory / f"per_cpu/cpu{number}"
        cpu.mkdir(parents=True)
        (cpu / "trace_pipe_raw").write_bytes(pages)


def check_copy(build, work, name, w, cpus):
    """Pages that were copied from tracefs have the events of the trace.dat."""
    directory = work / f"copy of {name}"
    write_copy(directory, w, cpus)
    (work / "whole.dat").write_bytes(w.file(cpus))
    found = decode(build, directory, "-f", "jsonl")
    wanted = decode(build, work / "whole.dat", "-f", "jsonl")
    check(f"{name}: copied pages have the same events", found[:2] == wanted[:2] and found[1], found)
    check(f"{name}: and losses", "9 events were lost" in found[2], found[2])
    last = directory / f"per_cpu/cpu{len(cpus) - 1}/trace_pipe_raw"
    last.write_bytes(cpus[-1] + cpus[-1][:200])
    code, out, err = decode(build, directory, "-f", "jsonl")
    check(f"{name}: a page that is cut short is reported", code == 1 and out == wanted[1] and "page of the ring buffer is damaged" in err, err)
    (directory / "events/header_page").write_text("nothing")
    code, _, err = decode(build, directory)
    check(f"{name}: a wrong header of pages is refused", code == 1 and "header_page is invalid" in err, err)
    (directory / "events/header_page").write_text(HEADER_PAGE)
    for pages in directory.glob("per_cpu/*/trace_pipe_raw"):
        pages.unlink()
    code, _, err = decode(build, directory)
    check(f"{name}: without pages it is refused", code == 1 and "there are no pages" in err, err)


def check_damage(build, work, data):
    path = work / "damaged.dat"
    codes = set()
    for length in [*range(0, 3000, size(37, 389)), *range(3000, len(data), size(311, 2503))]:
        path.write_bytes(data[:length])
        codes.add(decode(build, path, "-f", "jsonl")[0])
    check("a file that is cut short is an error", codes == {1}, codes)
    codes = set()
    for at in [*range(0, 1500, size(13, 151)), *range(PAGE, PAGE + 600, size(7, 61))]:
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:])
        codes.add(decode(build, path, "-f", "jsonl")[0])
    check("a file with a wrong bit is read or refused", codes <= {0, 1}, codes)
    path.write_bytes(data.replace(b"tracing6", b"tracing8", 1))
    code, _, err = decode(build, path)
    check("version 8 is refused", code == 1 and "versions 6 and 7" in err, err)
    path.write_bytes(data.replace(b"flyrecord", b"latency  ", 1))
    code, _, err = decode(build, path)
    check("a latency tracer is refused", code == 1 and "latency" in err, err)


def check_damaged_sections(build, work, data):
    """Cuts and wrong bits. The end of the file has the options: no event is found without it."""
    path = work / "damaged.dat"
    codes = set()
    for length in range(12, len(data), size(1, 10) * (41 + len(data) // 200)):
        path.write_bytes(data[:length])
        codes.add(decode(build, path, "-f", "jsonl")[0])
    check("version 7: a file that is cut short is an error", codes == {1}, codes)
    codes = set()
    for at in range(0, len(data), size(1, 10) * (17 + len(data) // 300)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:])
        codes.add(decode(build, path, "-f", "jsonl")[0])
    check("version 7: a file with a wrong bit is read or refused", codes <= {0, 1}, codes)
    path.write_bytes(data.replace(b"zstd\0", b"zlib\0", 1))
    code, _, err = decode(build, path)
    check("another compression is refused", code == 1 and "another method than zstd" in err, err)


def check_peer(path, version, expected):
    done = subprocess.run(["trace-cmd", "report", "-t", "-i", path], capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if "tick:" in line]
    found = [int(line.split("n=")[1].split()[0]) for line in lines]
    check(f"trace-cmd reads the same events of version {version}", found == [number for _, _, number in sorted(expected)],
          done.stdout + done.stderr)


def check_converted(build, work, expected):
    """A file that trace-cmd writes."""
    path = work / "converted.dat"
    subprocess.run(["trace-cmd", "convert", "--file-version", "7", "-i", work / "trace.dat", "-o", path], capture_output=True, check=True)
    _, out, err = decode(build, path, "-f", "jsonl")
    found = [json.loads(line)["fields"]["n"] for line in out.splitlines()]
    check("a file of version 7 by trace-cmd", found == [number for _, _, number in sorted(expected)], err)


def can_unpack(build, work):
    """False: this was built without zstd."""
    w, cpus, _ = make("<")
    path = work / "packed.dat"
    path.write_bytes(w.file_of_sections(cpus, zstd))
    return "built without zstd" not in decode(build, path)[2]


def main(build):
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        has_zstd = shutil.which("zstd") and can_unpack(build, work)
        for name, order in ("big endian", ">"), ("little endian", "<"):
            w, cpus, expected = make(order)
            check_order(build, work, f"{name}, version 7", w.file_of_sections(cpus), expected)
            if has_zstd:
                packed = w.file_of_sections(cpus, zstd)
                check_order(build, work, f"{name}, version 7, compressed", packed, expected)
            check_order(build, work, f"{name}, with an instance", w.file([cpus[0], b""], [b"", cpus[1]]), expected)
            if shutil.which("trace-cmd"):
                check_peer(work / "trace.dat", 6, expected)
            check_order(build, work, name, w.file(cpus), expected)
            check_copy(build, work, name, w, cpus)
            check_losses(build, work, name, w)
            check_empty(build, work, w)
        check_names(build, work, w)
        check_strings(build, work, w)
        if has_zstd:
            check_damaged_sections(build, work, packed)
        check_damage(build, work, w.file(cpus))
        if shutil.which("trace-cmd"):
            check_peer(work / "trace.dat", 6, expected)
            check_converted(build, work, expected)
    return failures != 0


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
