# SPDX-License-Identifier: MIT
"""What registering costs a program when it starts: many places, and many providers."""
import os
import shutil

from tracers import run_writer

TURNS = 25


def measure_program(figures, program, folder, names):
    """`names` of the figures, in the order of what the program prints, ours first."""
    directory = os.path.join(folder, 'start')
    environment = dict(os.environ, CAIRN_TRACING_DIR=directory)
    turns = {name: [] for name in names}
    for _ in range(TURNS):
        printed = run_writer(program, env=environment)
        for name, key in zip(names, ('register_us', 'unregister_us', 'openat_us')):
            turns[name].append(printed[key])
        shutil.rmtree(directory)
    figures.add_turns('us', turns, names[0])


def measure(figures, build, folder):
    for program, names in (
            ('start-places', ('register_1000_us', 'unregister_1000_us', 'openat_1000_us')),
            ('start-providers', ('register_10000_providers_us', 'unregister_10000_providers_us',
                                 'openat_10000_us'))):
        measure_program(figures, os.path.join(build, 'bench', program), folder, names)
