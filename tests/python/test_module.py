#!/usr/bin/env python3
"""The Python module: its structs are those of the headers, its events those of cairn decode, its errors are Python's.

usage: test_module.py BUILD SOURCE_ROOT
"""
import concurrent.futures
import datetime
import errno
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

BUILD, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
os.environ["CAIRN_LIBRARY"] = str(BUILD / "src/libcairn-collect.so")
sys.path.insert(0, str(ROOT / "python"))

import cairn  # noqa: E402
from cairn import _library, _values  # noqa: E402

directory = tempfile.TemporaryDirectory()
work = pathlib.Path(directory.name)
environment = {**os.environ, "CAIRN_TRACING_DIR": str(work / "tracing"), "PATH": f"{BUILD}:{BUILD}/tests/cli:{os.environ['PATH']}"}


def run(*command):
    return subprocess.run(command, cwd=work, env=environment, check=True, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE).stdout


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value if isinstance(value, (int, float, str, bool)) or value is None else str(value)


class Module(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        (work / "tracing").mkdir(mode=0o700)
        run("cairn", "record", "-q", "-e", "Cli_Work*", "-e", "cli_*", "-o", "t.data", "--", "sh", "-c", "work 20; emit cli_one 5; work spans")
        run("cairn", "convert", "t.data", "t.cairn")
        with open(work / "t.stream", "wb") as stream:
            subprocess.run(("cairn", "record", "-q", "-e", "cli_*", "-o", "-", "--", "emit", "cli_one", "5"), cwd=work, env=environment,
                           check=True, stdin=subprocess.DEVNULL, stdout=stream)
        cls.path = work / "t.data"

    def test_structs_are_those_of_the_headers(self):
        source = "#include <cairn/reader.h>\n#include <cairn/select.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void){\n"
        expected = []
        for name, struct in _library.STRUCTS.items():
            source += f'printf("%zu\\n", sizeof(struct {name}));\n'
            expected.append(_library.ctypes.sizeof(struct))
            for member, *_ in struct._fields_:
                source += f'printf("%zu\\n", offsetof(struct {name}, {member}));\n'
                expected.append(getattr(struct, member).offset)
        (work / "sizes.c").write_text(source + "return 0;}\n")
        run(os.environ.get("CC", "cc"), f"-I{ROOT}/include", "-o", "sizes", "sizes.c")
        self.assertEqual([int(line) for line in run(work / "sizes").split()], expected)

    def test_a_library_of_another_version_is_an_import_error(self):
        (work / "other.c").write_text("int other;\n")
        for name, soname, text in (("newer.so", "libcairn-collect.so.0.2", "newer.so is libcairn-collect.so.0.2.* needs"),
                                   ("empty.so", _library.SONAME, "empty.so is not the .*cairn_reader_open"),
                                   ("nameless.so", None, "nameless.so is not the")):
            run(os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", name, "other.c", *([f"-Wl,-soname,{soname}"] if soname else []))
            self.assertRegex(self.import_error(work / name), text)
        self.assertRegex(self.import_error(work / "nowhere.so"), "the module needs .*nowhere.so")
        self.assertEqual(_library._soname(_library.library), _library.SONAME)

    @staticmethod
    def import_error(library):
        script = "try:\n import cairn\nexcept ImportError as error:\n print(error)"
        return subprocess.run([sys.executable, "-c", script], env={**environment, "CAIRN_LIBRARY": library, "PYTHONPATH": ROOT / "python"},
                              check=True, text=True, stdout=subprocess.PIPE).stdout

    def test_events_are_those_of_decode(self):
        for path in (self.path, work / "t.cairn"):
            lines = [json.loads(line) for line in run("cairn", "decode", "-f", "jsonl", str(path)).splitlines()]
            events = list(cairn.read(path))
            self.assertEqual(len(events), len(lines))
            for event, line in zip(events, lines):
                for member in ("time_ns", "cpu", "pid", "tid", "comm", "provider", "event"):
                    self.assertEqual(event[member], line[member])
                self.assertEqual(plain(event["fields"]), line["fields"])
        self.assertEqual(sum("activity" in event for event in events), 6)

    def test_values_are_those_of_decode(self):
        for data, value in ((b"\0", False), (b"\1", True), (b"\xff", 255), (b"\xff\xff", 65535), (b"\1\0\0\0", True), (b"\2\0\0\0", 2),
                            (b"\xff\xff\xff\xff", -1), (b"\0\0\0\x80", -1 << 31)):
            found = _values.value_of({1: 2, 2: 3, 4: 4}[len(data)], _values._BOOLEAN, data, sys.byteorder != "little")
            self.assertEqual((type(found), found), (type(value), value))

    def test_threads_that_had_ended_are_those_of_decode(self):
        with cairn.Reader(self.path) as reader:
            next(reader)
            event = _library.Event(type=_library.ctypes.pointer(_library.EventType()), has=_library.HAS_TID, pid=0xffffffff, tid=0xffffffff)
            found = reader._event(event)
            self.assertEqual((found["pid"], found["tid"]), (-1, -1))

    def test_events_are_selected(self):
        self.assertEqual(len(list(cairn.read(self.path, events=["Work"], filter="Number < 7"))), 7)
        self.assertEqual(len(list(cairn.read(self.path, filter="Peer.Port == 3"))), 1)
        self.assertEqual(len(list(cairn.read(self.path, comms=["em*"]))), 5)
        self.assertEqual(len(list(cairn.read(self.path, pids=[1]))), 0)
        times = [event["clock_ns"] for event in cairn.read(self.path)]
        self.assertEqual(len(list(cairn.read(self.path, since=times[3]))), len([time for time in times if time >= times[3]]))
        later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        self.assertEqual(len(list(cairn.read(self.path, since=later))), 0)
        self.assertEqual(len(list(cairn.read(self.path, until=later))), len(times))
        with cairn.Reader(self.path, filter="nonsense == 1") as reader:
            self.assertEqual(list(reader), [])
            self.assertIn("Field not found", reader.filter_problem)

    def test_a_datetime_is_a_warning_if_the_time_of_day_is_not_known(self):
        (work / "trace").write_text("# tracer: nop\n  bash-1977 [001] 17.5: tick: n=1\n  bash-1977 [001] 18.5: tick: n=2\n")
        day = datetime.datetime(2020, 1, 1)
        with cairn.Reader(work / "trace", since=day) as reader:
            with self.assertWarnsRegex(UserWarning, "trace: the time of day of 2 events is not known") as caught:
                self.assertEqual(list(reader), [])
            self.assertEqual(caught.filename, __file__)
            self.assertEqual((reader.counts["filtered"], reader.counts["undated"]), (2, 2))
            self.assertEqual(list(reader), [])
        with self.assertWarnsRegex(UserWarning, "trace: .* 2 events") as caught:
            self.assertEqual(len(list(cairn.read(self.path, work / "trace", since=day))), len(list(cairn.read(self.path))))
        self.assertEqual((len(caught.warnings), caught.filename), (1, __file__))
        with self.assertWarns(UserWarning) as caught:
            cairn.columns(cairn.read(work / "trace", until=day), "event")
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(len(list(cairn.read(work / "trace", since=18 * 10 ** 9))), 1)
            self.assertEqual(len(list(cairn.read(self.path, since=day))), len(list(cairn.read(self.path))))

    def test_a_str_is_one_name(self):
        self.assertEqual(len(list(cairn.read(self.path, events="Work"))), 20)
        self.assertEqual(len(list(cairn.read(self.path, events="WorkPeer"))), 0)
        self.assertEqual(len(list(cairn.read(self.path, comms="em*"))), 5)
        self.assertEqual(len(list(cairn.read(self.path, comms="emit"))), 5)
        self.assertEqual(len(list(cairn.read(self.path, events=(name for name in ("Work", "Peer")), pids={0, 1}))), 0)
        self.assertEqual(list(cairn.columns([], "time_ns")), ["time_ns"])

    def test_numbers_and_times_do_not_wrap(self):
        tid = next(cairn.read(self.path))["tid"]
        self.assertGreater(len(list(cairn.read(self.path, tids=[tid]))), 0)
        self.assertEqual(len(list(cairn.read(self.path, tids=[-1, 0, (1 << 32) - 1], cpus=[(1 << 32) - 1]))), 0)
        for name in ("tids", "pids", "cpus"):
            for number in ((1 << 32) + tid, 1 << 64, -(1 << 32) + tid, -2):
                self.assertRaises(ValueError, cairn.Reader, self.path, **{name: [number]})
        self.assertRaises(ValueError, cairn.Reader, self.path, cpus=[-1])
        utc = datetime.timezone.utc
        count = len(list(cairn.read(self.path)))
        for since in (0, 1, datetime.datetime(1970, 1, 1, tzinfo=utc)):
            self.assertEqual(len(list(cairn.read(self.path, since=since))), count)
        for since in ((1 << 64) - 1, datetime.datetime(2554, 1, 1, tzinfo=utc)):
            self.assertEqual(len(list(cairn.read(self.path, since=since))), 0)
        self.assertEqual(len(list(cairn.read(self.path, until=1))), 0)
        self.assertEqual(len(list(cairn.read(self.path, until=datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=utc)))), 0)
        for time in (-1, 1 << 64, (1 << 64) + 1, datetime.datetime(1960, 1, 1, tzinfo=utc), datetime.datetime(2555, 1, 1, tzinfo=utc)):
            self.assertRaises(ValueError, cairn.Reader, self.path, since=time)
            self.assertRaises(ValueError, cairn.Reader, self.path, until=time)
        for until in (0, datetime.datetime(1970, 1, 1, tzinfo=utc)):
            self.assertRaises(ValueError, cairn.Reader, self.path, until=until)
        self.assertRaises(TypeError, cairn.Reader, self.path, since=1.5)

    def test_times_of_pandas_have_nanoseconds(self):
        class Timestamp(datetime.datetime):
            """Stands for pandas.Timestamp, which need not be installed."""
            nanosecond = 789

        self.assertEqual(cairn._ns(Timestamp(1970, 1, 1, 0, 0, 1, 123456, tzinfo=datetime.timezone.utc)), 1123456789)

    def test_texts_with_a_nul_are_refused(self):
        for options in ({"filter": "Number < 7\0 && ("}, {"events": ["Work\0"]}, {"events": "Work\0"}, {"comms": ["em\0it"]}):
            self.assertRaises(ValueError, cairn.Reader, self.path, **options)
        self.assertRaises(ValueError, cairn.Reader, f"{self.path}\0")

    def test_files_are_merged(self):
        events = list(cairn.read(self.path, work / "t.cairn"))
        times = [event["time_ns"] for event in events]
        self.assertEqual(times, sorted(times))
        self.assertEqual(sum(event["source"] for event in events), len(events) // 2)

    def test_an_error_names_its_file(self):
        (work / "short.cairn").write_bytes((work / "t.cairn").read_bytes()[:-2000])
        with self.assertRaises(cairn.Error) as alone:
            list(cairn.read(work / "short.cairn"))
        for paths in ((work / "short.cairn", work / "t.cairn"), (work / "t.cairn", work / "short.cairn")):
            with self.assertRaises(cairn.Error) as raised:
                list(cairn.read(*paths))
            self.assertEqual(raised.exception.filename, str(work / "short.cairn"))
            self.assertEqual(raised.exception.offset, alone.exception.offset)
            self.assertEqual(str(raised.exception), str(alone.exception))

    def test_a_reader_without_references_is_closed(self):
        before = len(os.listdir("/proc/self/fd"))
        for path in (self.path, work / "t.cairn", work / "t.stream"):
            reader = cairn.Reader(path, filter="Number > 3")
            next(iter(reader), None)
            self.assertGreater(len(os.listdir("/proc/self/fd")), before)
            del reader  # without a cycle, which would keep it until a collection
            self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_a_reader_is_closed_while_another_thread_reads(self):
        for filter in (None, "Number == -1"):
            for pause_s in (0, 0.001, 0.01, 0.02) * 3:
                reader = cairn.Reader(*[self.path] * 50, filter=filter)
                found = []

                def read():
                    try:
                        for _ in itertools.chain.from_iterable(itertools.repeat(reader)):
                            reader.counts
                    except ValueError as error:
                        found.append(str(error))

                threads = [threading.Thread(target=read) for _ in range(2)]
                for thread in threads:
                    thread.start()
                time.sleep(pause_s)
                reader.close()
                for thread in threads:
                    thread.join()
                self.assertEqual(found, ["the reader is closed"] * 2)
                self.assertIsNone(reader._reader)

    def test_threads_share_the_events_of_a_reader(self):
        paths = [self.path] * 20
        expected = sorted((event["time_ns"], event["source"]) for event in cairn.read(*paths))
        for _ in range(3):
            reader = cairn.Reader(*paths)
            with concurrent.futures.ThreadPoolExecutor(3) as pool:
                parts = list(pool.map(lambda _: list(reader), range(3)))
            self.assertEqual(sorted((event["time_ns"], event["source"]) for part in parts for event in part), expected)

    def test_handlers_of_signals_may_close_a_reader_but_not_read_it(self):
        reader = cairn.Reader(self.path)
        event = reader._event
        found = []

        def during(handler):
            def interrupted(contents):
                try:
                    handler()
                except ValueError as error:
                    found.append(str(error))
                return event(contents)
            reader._event = interrupted

        during(lambda: next(reader))
        self.assertEqual(next(reader)["event"], next(cairn.read(self.path))["event"])
        self.assertIn("being read", found[0])
        during(reader.close)
        self.assertIn("event", next(reader))
        self.assertIsNone(reader._reader)
        self.assertRaisesRegex(ValueError, "closed", next, reader)

    def test_signals_interrupt_the_wait_for_a_stream(self):
        class Interrupted(Exception):
            pass

        def handler(*_):
            raise Interrupted

        def soon():
            signal.setitimer(signal.ITIMER_REAL, 0.1)

        def fifo(name):
            name = f"{name}.fifo"
            os.mkfifo(work / name)
            return work / name, os.open(work / name, os.O_RDWR)

        def read_until_interrupted(count):
            with self.assertRaises(Interrupted):
                if len(found) == count:
                    soon()
                for event in reader:
                    found.append(event)
                    if len(found) == count:
                        soon()
            self.assertEqual((len(found), reader.counts["events"]), (count, count))

        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, handler))
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        path, writer = fifo("silent")
        soon()
        self.assertRaises(Interrupted, cairn.Reader, path)
        os.close(writer)

        path, writer = fifo("text")
        line = b"  bash-1977 [001] 17.5: tick: n=1\n"
        os.write(writer, b"# tracer: nop\n" + 1000 * b"#\n" + 2 * line)
        found = []
        with cairn.Reader(path) as reader:
            read_until_interrupted(2)
            read_until_interrupted(2)  # the call of the first time is waiting still
            os.write(writer, line)
            read_until_interrupted(3)
        self.assertIsNotNone(reader._reader)
        os.close(writer)  # the end of the stream ends the call, which releases the closed reader
        for _ in range(1000):
            if reader._reader is not None:
                time.sleep(0.01)
        self.assertIsNone(reader._reader)

        path, writer = fifo("closed")
        os.write(writer, b"# tracer: nop\n" + 1000 * b"#\n" + line)
        reader = cairn.Reader(path)
        next(reader)
        threading.Timer(0.1, reader.close).start()
        self.assertRaisesRegex(ValueError, "closed", next, reader)
        os.close(writer)

        path, writer = fifo("recording")
        os.write(writer, (work / "t.stream").read_bytes())
        found = []
        with cairn.Reader(path) as reader:
            soon()
            with self.assertRaises(Interrupted):
                for event in reader:
                    found.append(event)
            os.close(writer)
            found.extend(reader)
        self.assertEqual([event["event"] for event in found], ["cli_one"] * 5)

    def test_columns_have_one_row_for_each_event(self):
        table = cairn.columns(cairn.read(self.path, events=["Work", "Peer"]), ["event", "Number", "Peer.Port", "time_ns"])
        self.assertEqual([len(column) for column in table.values()], [40] * 4)
        self.assertEqual([int(value) for value in table["Number"][::2]], list(range(20)))
        self.assertEqual(list(table["event"][:2]), ["Work", "Peer"])

    def test_columns_of_fields_with_names_of_members(self):
        event = {"event": "E", "provider": "P", "pid": 1, "fields": {"pid": 2, "a": {"b": 3}, "c.d": 4, "error": "none", "fields": {"pid": 5}}}
        for name, value in (("pid", 1), ("fields.pid", 2), ("fields.a.b", 3), ("c.d", 4), ("fields.c.d", 4), ("error", "none"),
                            ("fields.event", None), ("fields.fields.pid", 5)):
            self.assertEqual(list(cairn.columns([event], [name])[name]), [value], name)

    def test_columns_of_numpy_have_types(self):
        class Numpy:
            """Stands for numpy, which need not be installed: an array is its type and its values."""
            int64, uint64 = "int64", "uint64"

            @staticmethod
            def array(values, dtype):
                if dtype == "int64" and any(value >= 1 << 63 for value in values):
                    raise OverflowError
                return dtype, values

        for values, kind in (([1, 2], "int64"), ([1, 1 << 63], "uint64"), ([1, 2.5], float), ([1, None], float), (["a", None], object),
                             ([True, False], bool), ([None], object), ([1, "a"], object)):
            self.assertEqual(cairn._array(Numpy, values)[0], kind)

    def test_counts_and_errors(self):
        with cairn.Reader(self.path) as reader:
            count = len(list(reader))
            self.assertEqual(reader.counts, {"events": count, "damaged": 0, "unreadable": 0, "filtered": 0, "undated": 0, "lost": 0,
                                             "lost_packets": 0})
            first = next(cairn.read(self.path))["clock_ns"]
        with cairn.Reader(self.path, until=first) as reader:
            left = len(list(reader))
            self.assertEqual((reader.counts["filtered"], reader.counts["undated"]), (count - left, 0))
        with self.assertRaises(ValueError):
            next(reader)
        with self.assertRaises(cairn.Error) as raised:
            cairn.Reader(work / "nowhere")
        self.assertEqual(raised.exception.errno, errno.ENOENT)
        with self.assertRaises(ValueError):
            cairn.Reader(self.path, filter="a ==")
        with self.assertRaises(ValueError):
            cairn.Reader()
        (work / "text").write_text("This is no recording.\n" * 100)
        with self.assertRaises(cairn.Error):
            cairn.Reader(work / "text")
        (work / "cut").write_bytes(self.path.read_bytes()[:-40])
        with self.assertRaises(cairn.Error) as raised:
            list(cairn.read(work / "cut"))
        self.assertGreater(raised.exception.offset, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
