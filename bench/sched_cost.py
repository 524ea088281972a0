# SPDX-License-Identifier: MIT
"""The cost of recording the scheduler's events on a machine that is kept switching."""
import os
import re
import shutil
import signal
import subprocess
import time

from tracers import Failure

MESSAGES = 100000  # between two processes: some six events each
TURNS = 3


def switching(messages):
    """Passes messages between two processes, each of which waits for the other."""
    subprocess.run(['perf', 'bench', '-f', 'simple', 'sched', 'pipe', '-l', str(messages)],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


def wait_for_begin(process, path):
    """A recorder has begun when it records: its file grows, or it has its rings."""
    for _ in range(1000):
        if process.poll() is not None:
            raise Failure(f'{process.args[0]}: {process.stderr.read().strip()}')
        with open(f'/proc/{process.pid}/maps', encoding='utf-8') as maps:
            if '[perf_event]' in maps.read() and os.path.exists(path):
                return
        time.sleep(0.01)
    raise Failure(f'{process.args[0]} does not begin')


def record(command, path, environment, cairn):
    """Records the switching. Returns the recorder's processor time, and the number of lost events."""
    with subprocess.Popen([*command, '-o', path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, env=environment) as process:
        wait_for_begin(process, path)
        switching(MESSAGES)
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    counted = subprocess.run([cairn, 'stats', path], stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, env=environment, check=False)
    found = re.search(r'(\d+) lost$', counted.stdout.strip())
    if not found:
        raise Failure(f'{path}: {counted.stderr.strip()}')
    os.remove(path)
    return usage.ru_utime + usage.ru_stime, int(found[1])


def measure(figures, cairn, directory, say):
    if os.geteuid() or not shutil.which('perf'):
        say('no figures of the scheduler: they need root, and perf')
        return
    tracing = f'{directory}/sched-tracing'
    os.mkdir(tracing, 0o700)
    environment = dict(os.environ, CAIRN_TRACING_DIR=tracing)
    recorders = {
        '': ([cairn, 'record', '-q', '-a', '-k', 'sched:*'], f'{directory}/sched.cairn'),
        'perf_': (['perf', 'record', '-q', '-a', '-m', '4M', '-e', 'sched:*'], f'{directory}/sched.data'),
    }
    times = {f'{name}sched_cpu_s': [] for name in recorders}
    lost = {f'{name}sched_lost': [] for name in recorders}
    for _ in range(TURNS):
        for name, (command, path) in recorders.items():
            seconds, count = record(command, path, environment, cairn)
            times[f'{name}sched_cpu_s'].append(seconds)
            lost[f'{name}sched_lost'].append(count)
    figures.add_turns('s', times, 'sched_cpu_s')
    for name, counts in lost.items():
        figures.add(name, 'events', counts, max(counts))
