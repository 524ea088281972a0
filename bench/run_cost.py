# SPDX-License-Identifier: MIT
"""Measures the cost of `cairn run`: for a program that does not use tracing, its calls and its start; of writing an event."""
import os
import signal
import statistics
import subprocess

from tracers import end, run_writer

ROUNDS = 7
PROGRAM = '/bin/true'


class Pairs:
    """The same program plain and under `cairn run`, in turn: {name: [difference of each pair]}."""

    def __init__(self, build, home, transport):
        self.program = os.path.join(build, 'bench', 'run-calls')
        self.run = [os.path.join(build, 'cairn'), 'run', '-q', '--backend=local', f'--transport={transport}', '--']
        self.environment = dict(os.environ, CAIRN_TRACING_DIR=os.path.join(home, 'run'))

    def differences(self, *arguments):
        pairs = []
        for _ in range(ROUNDS):
            plain = run_writer(self.program, *arguments)
            under = run_writer(self.run[0], *self.run[1:], self.program, *arguments, env=self.environment)
            pairs.append((plain, under))
        return {name: [under[name] - plain[name] for plain, under in pairs] for name in pairs[0][0]}


def measure_writes(figures, build, home):
    """A write of 64 bytes while it is recorded, by each transport, and a pwritev to a mapped memory file."""
    cairn = os.path.join(build, 'cairn')
    environment = dict(os.environ, CAIRN_TRACING_DIR=os.path.join(home, 'run'))
    minimal = os.path.join(build, 'bench', 'minimal-fuse')
    writes = os.path.join(build, 'bench', 'run-writes')
    empty = os.path.join(home, 'minimal')
    os.mkdir(empty)
    figure_of = {'preload': ['--transport=preload'], 'accelerated': ['--transport=mount'],
                 'mount': ['--transport=mount', '--no-accelerator']}
    recorder = subprocess.Popen([cairn, 'record', '-q', '-e', 'bench_write', '-o', os.path.join(home, 'writes.perf.data')],
                                env=environment, stderr=subprocess.DEVNULL)
    try:
        for name, options in figure_of.items():
            command = [cairn, 'run', '-q', '--backend=local', *options, '--', writes]
            if name == 'mount' and os.geteuid() == 0:  # a round trip, on one processor
                command = ['taskset', '-c', '1', minimal, empty, *command, os.path.join(empty, 'file')]
            turns = [run_writer(*command, env=environment) for _ in range(3)]
            if 'file_ns' in turns[0]:
                figures.add('run_minimal_fuse_ns', 'ns/write', [turn['file_ns'] for turn in turns])
            figures.add(f'run_write_{name}_ns', 'ns/write', [turn['write_ns'] for turn in turns])
            figures.add(f'run_pwritev_{name}_ns', 'ns/write', [turn['pwritev_ns'] for turn in turns])
    finally:
        end(recorder, signal.SIGINT)


def measure(figures, build, home):
    pairs = Pairs(build, home, 'preload')
    calls = pairs.differences()
    rounds = zip(*calls.values())
    figures.add('run_call_ns', 'ns/call', [statistics.median(calls_of_round) for calls_of_round in rounds])
    figures.add('run_open_ns', 'ns/call', calls['open'])
    figures.add('run_open_missing_ns', 'ns/call', calls['open_missing'])
    figures.add('run_start_us', 'us/start', pairs.differences('start', PROGRAM)['start_us'])
    measure_writes(figures, build, home)
