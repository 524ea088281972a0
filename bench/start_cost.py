# SPDX-License-Identifier: MIT
"""Measures the cost of registering when a program starts: many call sites, and many providers."""
import os
import shutil

from tracers import run_writer

TURNS = 25


def measure_program(figures, program, directory, names):
    """Adds the figures `names`, in the order of the lines that the program prints, ours first."""
    tracing = os.path.join(directory, 'start')
    environment = dict(os.environ, CAIRN_TRACING_DIR=tracing)
    turns = {name: [] for name in names}
    for _ in range(TURNS):
        printed = run_writer(program, env=environment)
        for name, key in zip(names, ('register_us', 'unregister_us', 'openat_us')):
            turns[name].append(printed[key])
        shutil.rmtree(tracing)
    figures.add_turns('us', turns, names[0])


def measure(figures, build, directory):
    for program, names in (
            ('start-sites', ('register_1000_us', 'unregister_1000_us', 'openat_1000_us')),
            ('start-providers', ('register_10000_providers_us', 'unregister_10000_providers_us',
                                 'openat_10000_us'))):
        measure_program(figures, os.path.join(build, 'bench', program), directory, names)
