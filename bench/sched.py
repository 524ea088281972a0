# SPDX-License-Identifier: MIT
"""Measures the recording of the scheduler's events, by cairn and by perf in turn, while two processes switch all the time."""
import os
import re
import resource
import signal
import subprocess
import sys
import time

TURNS = 5
SWITCHES = 100000  # messages of `perf bench sched pipe`, with two switches each
READY_SECONDS = 0.5  # a recorder opens its events within this


def can_record():
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'run'))
    import kernel_events  # pylint: disable=import-outside-toplevel
    return kernel_events.can_record()


def record(command, environment):
    """Runs a recorder during the bench. Returns its processor time in seconds, and what it printed."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as recorder:
        time.sleep(READY_SECONDS)
        subprocess.run(['perf', 'bench', '-f', 'simple', 'sched', 'pipe', '-l', str(SWITCHES)], stdout=subprocess.DEVNULL, check=True)
        recorder.send_signal(signal.SIGINT)
        printed = recorder.stdout.read()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        recorder.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, printed


def lost_of_perf(build, path):
    counted = subprocess.run([f'{build}/cairn', 'stats', path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return int(re.search(r'(\d+) lost$', counted.stdout.strip()).group(1))


def lost_of_cairn(printed):
    return int(re.search(r'lost ([\d,]+)\.', printed).group(1).replace(',', ''))


def measure(figures, build, directory, say):
    if not can_record():
        say('sched: not measured')
        return
    environment = os.environ | {'CAIRN_TRACING_DIR': f'{directory}/sched-td'}
    os.makedirs(environment['CAIRN_TRACING_DIR'], mode=0o700)
    seconds = {'sched_cpu_s': [], 'perf_sched_cpu_s': []}
    lost = {'sched_lost': [], 'perf_sched_lost': []}
    for _ in range(TURNS):
        taken, printed = record([f'{build}/cairn', 'record', '-a', '-k', 'sched:*', '-o', f'{directory}/sched.cairn'], environment)
        seconds['sched_cpu_s'].append(taken)
        lost['sched_lost'].append(lost_of_cairn(printed))
        taken, _ = record(['perf', 'record', '-q', '-a', '-e', 'sched:*', '-o', f'{directory}/sched.data'], environment)
        seconds['perf_sched_cpu_s'].append(taken)
        lost['perf_sched_lost'].append(lost_of_perf(build, f'{directory}/sched.data'))
    figures.add_turns('s', seconds, 'sched_cpu_s')
    for name, samples in lost.items():
        figures.add(name, 'events', samples)
    for name in ('sched.cairn', 'sched.data'):
        os.unlink(f'{directory}/{name}')
