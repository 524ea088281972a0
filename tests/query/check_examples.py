#!/usr/bin/env python3
"""The questions of cairn query --examples are answered, those of cairn ask have the same SQL as they print, and the tables of spans,
states of threads and CPUs say of a recording what is in it.

usage: check_examples.py CAIRN MAKE_RECORDING
"""
import csv
import io
import pathlib
import re
import subprocess
import sys
import tempfile

REQUESTS = 500
# Examples without a result, because the recording has no losses, errors, activities that did not stop, call sites.
EMPTY = {"What was lost, where, and why?", "Which errors and warnings are there?", "What happened just before the first error?",
         "Which activities never stopped?", "Which source lines write the most events?"}
failures = []


def expect(right, what):
    print("ok  " if right else "FAIL", what)
    if not right:
        failures.append(what)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, stdin=subprocess.DEVNULL, **options)


def rows(cairn, recording, sql, *others):
    done = run(cairn, "query", "-f", "csv", recording, *others, sql + " ;")
    return list(csv.reader(io.StringIO(done.stdout)))[1:] if not done.returncode else done.stderr


def check_examples(cairn, recording):
    text = run(cairn, "query", "--examples").stdout
    examples = re.findall(r"-- \d+\. (.*)\n((?:.*\n)+?)(?=\n--|\Z)", text)
    expect(len(examples) == 20, "there are twenty questions")
    for question, sql in examples:
        answer = rows(cairn, recording, sql)
        expect(isinstance(answer, list) and bool(answer) == (question not in EMPTY), question)


def check_tables(cairn, recording):
    expect(rows(cairn, recording, "SELECT count(*), count(stop_ns) FROM activities") == [[str(REQUESTS)] * 2], "requests are activities")
    expect(rows(cairn, recording, "SELECT count(*) FROM sched WHERE tid = 0") == [[str(2 * REQUESTS)]], "idle CPUs are switched from")
    covered = rows(cairn, recording, """SELECT count(*) FROM (SELECT s.id, s.duration_ns AS all_ns,
        sum(overlap(s.start_ns, s.stop_ns, t.start_ns, t.stop_ns)) AS ns FROM spans s JOIN thread_state t
        ON t.tid = s.tid AND t.stop_ns > s.start_ns AND t.start_ns < s.stop_ns GROUP BY s.id) WHERE all_ns = ns""")
    expect(covered == [[str(REQUESTS)]], "states of threads cover each request, without gaps and overlaps")
    expect(rows(cairn, recording, "SELECT DISTINCT state FROM thread_state ORDER BY 1") ==
           [["blocked"], ["runnable"], ["running"], ["sleeping"]], "threads have four states")


def check_recordings(cairn, *files):
    """Threads and CPUs of several recordings are others, though they have the same numbers."""
    for table in "thread_state", "sched":
        columns = "cpu, tid, comm, priority, start_ns, stop_ns, duration_ns, recording"
        alone = [row for file in files for row in rows(cairn, file, f"SELECT {columns} FROM {table}")]
        together = rows(cairn, files[0], f"SELECT {columns} FROM {table}", *files[1:])
        expect(len(alone) > REQUESTS and sorted(alone) == sorted(together), f"{table} of two recordings")
    for file in files:
        expect(rows(cairn, file, "SELECT DISTINCT recording FROM activities") == [[str(file)]], f"activities of {file.name}")
    # A lookup by the key finds what a scan of all rows finds.
    found = [rows(cairn, files[0], f"""SELECT s.id, t.start_ns, t.recording FROM (SELECT * FROM spans ORDER BY duration_ns DESC LIMIT 20) s
        JOIN thread_state t ON {key} = s.tid AND t.stop_ns > s.start_ns AND t.start_ns < s.stop_ns ORDER BY 1, 2, 3""", *files[1:])
             for key in ("t.tid", "+t.tid")]
    expect(found[0] and found[0] == found[1], "states of two recordings are looked up")
    # A question about both has the waits of each.
    question = "ask", "waits", "--from", "Parsed", "--to", "Rendered", "--top", 3 * REQUESTS, "-f", "csv"
    alone, together = ([line for some in chosen for line in run(cairn, *question, *some).stdout.splitlines()[1:]]
                       for chosen in ([[file] for file in files], [files]))
    expect(alone and sorted(alone) == sorted(together), "waits of two recordings")


def check_threads(cairn, *files):
    """Threads make the same rows: of a trace file with an index, and of perf.data."""
    for file in files:
        for sql in ("SELECT time_ns, wall, provider, event, comm, activity, fields, error, recording FROM events",
                    'SELECT "Table", Ms, Hit FROM "Shop:Query" WHERE DurationUs > 50', "SELECT tid FROM events LIMIT 7",
                    'SELECT sum(Rows), median(DurationUs) FROM "Shop:Query" WHERE cpu = 1'):
            one = run(cairn, "query", "-f", "csv", file, sql).stdout
            expect(one and one == run(cairn, "query", "-j", "3", "-f", "csv", file, sql).stdout, f"three threads: {file.suffix}: {sql}")


def check_ask(cairn, recording):
    for question in ("slow", "count", "rate --every 1ms", "spread", "who", "waits", "preempted", "lost",
                     "slow --of Query --by DurationUs", "count --of Query --by Table", "spread --of Shop:Query --by Ms"):
        done = run(cairn, "ask", *question.split(), "-f", "csv", recording)
        again = run(cairn, "query", "-f", "csv", recording, done.stderr)
        expect(not done.returncode and done.stdout == again.stdout, f"cairn ask {question}")
    expect(run(cairn, "ask", "slow", "--of", "Nothing", "--by", "x", recording).returncode == 4, "an unknown event is reported")
    expect(run(cairn, "ask", "why", recording).returncode == 2, "an unknown question is reported")


def check_database(cairn, recording, directory):
    database = directory / "out.db"
    done = run(cairn, "query", "--attach", database, recording)
    expect(not done.returncode, f"a database is written {done.stderr}")
    copied = run(cairn, "query", "-f", "csv", "--attach", database, recording,
                 'SELECT (SELECT sum(Rows) FROM out."Shop:Query") = (SELECT sum(Rows) FROM "Shop:Query"), '
                 '(SELECT count(*) FROM out.events) = (SELECT count(*) FROM events)').stdout
    expect(copied.splitlines()[-1:] == ["1,1"], "it has what the recording has")
    expect(run(cairn, "query", "--attach", recording, recording).returncode == 1, "a recording is never written")


def main(cairn, make_recording):
    with tempfile.TemporaryDirectory(prefix="cairn-query-") as directory:
        directory = pathlib.Path(directory)
        recording = directory / "t.cairn"
        run(make_recording, REQUESTS, directory / "t.data", check=True)
        run(cairn, "convert", directory / "t.data", recording, check=True)
        before = recording.read_bytes()
        check_examples(cairn, recording)
        check_tables(cairn, recording)
        run(make_recording, REQUESTS, directory / "other.data", "by-cpu", check=True)
        check_recordings(cairn, recording, directory / "other.data")
        check_ask(cairn, recording)
        check_threads(cairn, directory / "t.data", recording)
        check_database(cairn, recording, directory)
        expect(recording.read_bytes() == before, "the recording is as before")
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
