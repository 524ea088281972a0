# SPDX-License-Identifier: MIT
"""Measures the cost of `cairn run` for a program that does not use tracing: its calls, and its start."""
import os
import statistics

from tracers import run_writer

ROUNDS = 7
PROGRAM = '/bin/true'


class Pairs:
    """The same program plain and under `cairn run`, in turn: {name: [difference of each pair]}."""

    def __init__(self, build, home):
        self.program = os.path.join(build, 'bench', 'run-calls')
        self.run = [os.path.join(build, 'cairn'), 'run', '-q', '--backend=local', '--']
        self.environment = dict(os.environ, CAIRN_TRACING_DIR=os.path.join(home, 'run'))

    def differences(self, *arguments):
        pairs = []
        for _ in range(ROUNDS):
            plain = run_writer(self.program, *arguments)
            under = run_writer(self.run[0], *self.run[1:], self.program, *arguments, env=self.environment)
            pairs.append((plain, under))
        return {name: [under[name] - plain[name] for plain, under in pairs] for name in pairs[0][0]}


def measure(figures, build, home):
    pairs = Pairs(build, home)
    calls = pairs.differences()
    rounds = zip(*calls.values())
    figures.add('run_call_ns', 'ns/call', [statistics.median(calls_of_round) for calls_of_round in rounds])
    figures.add('run_open_ns', 'ns/call', calls['open'])
    figures.add('run_open_missing_ns', 'ns/call', calls['open_missing'])
    figures.add('run_start_us', 'us/start', pairs.differences('start', PROGRAM)['start_us'])
