# SPDX-License-Identifier: MIT
"""Measures SQL over a recording, next to DuckDB on Parquet of the same events, and to jq."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

REQUESTS = 1000000  # of ten events each
TURNS = 3

SPANS_SQL = """SELECT t.state, count(*), sum(overlap(s.start_ns, s.stop_ns, t.start_ns, t.stop_ns)) FROM spans s JOIN thread_state t
  ON t.tid = s.tid AND t.stop_ns > s.start_ns AND t.start_ns < s.stop_ns GROUP BY 1"""
QUESTIONS = {
    'count': 'SELECT count(*) FROM events',
    'group': 'SELECT event, count(*) FROM events GROUP BY event',
    'percentile': 'SELECT percentile(DurationUs, 95) FROM "Shop:Query"',
    'join': SPANS_SQL,
}


def run(command, output=subprocess.DEVNULL, **options):
    """Runs a command: its time in s, and its maximum memory in MiB."""
    start = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, **options) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.monotonic() - start, usage.ru_maxrss / 1024


def make_recording(build, directory, requests):
    """A trace file of requests with the scheduler's events; the same each time."""
    data, path = f'{directory}/query.data', f'{directory}/query.cairn'
    subprocess.run([f'{build}/tests/query/make_recording', str(requests), data], check=True)
    subprocess.run([f'{build}/cairn', 'convert', data, path], check=True)
    os.remove(data)
    return path


def ask(cairn, recording, turns):
    """Asks all questions some times in one process, which has opened the recording, as DuckDB has its own: the times in s, by
    question, and the maximum memory in MiB."""
    script = ['.mode csv', '.timer on', 'SELECT count(*) FROM files;'] + [f'{sql};' for sql in QUESTIONS.values() for _ in range(turns)]
    with tempfile.TemporaryFile() as commands, tempfile.TemporaryFile() as answers:
        commands.write('\n'.join(script).encode())
        commands.seek(0)
        with subprocess.Popen([cairn, 'query', '-j', str(os.cpu_count()), recording], stdin=commands, stdout=answers) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        answers.seek(0)
        times = [float(one) for one in re.findall(rb'^Run Time: real (\S+)', answers.read(), re.M)][1:]
    if process.returncode or len(times) != len(QUESTIONS) * turns:
        raise subprocess.CalledProcessError(process.returncode, 'cairn query')
    return {name: times[n * turns:(n + 1) * turns] for n, name in enumerate(QUESTIONS)}, usage.ru_maxrss / 1024


def has_duckdb():
    done = subprocess.run(['node', '-e', "require('@duckdb/node-api')"], capture_output=True, check=False)
    return not done.returncode


def measure_duckdb(figures, cairn, recording, directory, turns):
    """Loading is the time that DuckDB takes to make Parquet of JSON lines; decoding them is not counted."""
    lines = f'{directory}/query.jsonl'
    with open(lines, 'wb') as output:
        run([cairn, 'decode', '-f', 'jsonl', recording], output)
    done = subprocess.run(['node', os.path.join(os.path.dirname(__file__), 'duckdb.mjs'), lines, f'{directory}/query.parquet',
                           str(turns)], stdout=subprocess.PIPE, check=True)
    os.remove(lines)
    for name, samples in json.loads(done.stdout).items():
        figures.add(f'duckdb_{name}_s', 's', samples)


def measure(figures, build, directory, say, requests=REQUESTS):
    cairn = f'{build}/cairn'
    recording = make_recording(build, directory, requests)
    asked, mib = ask(cairn, recording, TURNS)
    for name, samples in asked.items():
        figures.add(f'query_{name}_s', 's', samples)
    figures.add('query_memory_mib', 'MiB', [mib])
    if shutil.which('jq'):
        seconds, _ = run(['sh', '-c', f"'{cairn}' decode -f jsonl '{recording}' | head -n 1000000 | jq -rn "
                          "'reduce inputs.event as $e ({}; .[$e] += 1)'"])
        figures.add('jq_group_million_s', 's', [seconds])
    if has_duckdb():
        measure_duckdb(figures, cairn, recording, directory, TURNS)
    else:
        say('no figures of DuckDB: @duckdb/node-api is not in NODE_PATH')
    os.remove(recording)
