#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: check_programs.py BUILD

Runs the programs of the bench once, with few events: those without a recorder, and those whose
events are recorded, which must all be in the recording. Measures nothing.
"""
import os
import subprocess
import sys
import tempfile

from tracers import Alone, Cairn

ALONE = ('floor', 'glibc', 'kernel', 'kernel-filter', 'tracing-two')
RECORDED = ('cairn', 'mixed', 'mixed-dynamic', 'tracing')
EVENTS = 100


def check(name, expected, found):
    if found != expected:
        sys.exit(f'{name}: {expected:.0f} events expected, {found:.0f} found')


def check_single(tracer, home):
    """Single events: the first one, and those that are timed."""
    with tracer.recording(f'{home}/single.perf.data') as recording:
        written = tracer.write('latency', EVENTS, 0.1)['written'] + tracer.write('first', EVENTS)['written']
    check('single', written, recording.count())


def main():
    build = os.path.abspath(sys.argv[1])
    for name in ALONE:
        check(name, 6 * EVENTS, Alone(build, name).write('burst', EVENTS, 2)['written'])
    with tempfile.TemporaryDirectory() as home:
        for name in RECORDED:
            tracer = Cairn(build, home, name)
            with tracer.recording(f'{home}/{name}.perf.data') as recording:
                written = tracer.write('burst', EVENTS, 1)['written']
            check(name, written, recording.count())
        check_single(Cairn(build, home), home)
    for name in ('start-sites', 'start-providers'):
        subprocess.run([os.path.join(build, 'bench', name)], stdout=subprocess.DEVNULL, check=True)


if __name__ == '__main__':
    main()
