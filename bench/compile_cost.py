# SPDX-License-Identifier: MIT
"""Measures the cost of compiling 1,000 events of eight fields in one file."""
import os
import re
import subprocess
import sys

from tracers import Failure

EVENTS = 1000
ROUNDS = 3
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'include')
PARAMETERS = ('int32_t a, uint32_t b, const char *c, const char *d, double e, int64_t f, uint8_t g, '
              'bool h')
EVENT = ('CAIRN_WRITE_EVENT(provider, "Event{0}", i32("Alpha", a), u32("Beta", b), str8("Gamma", c), '
         'str8("Delta", d), f64("Epsilon", e), i64("Zeta", f), u8("Eta", g), bool8("Theta", h));')


def source():
    lines = ['#include <cairn/eventheader.h>', 'CAIRN_PROVIDER(provider, "Cost");']
    lines += [f'void f{i}({PARAMETERS});\nvoid f{i}({PARAMETERS})\n{{\n{EVENT.format(i)}\n}}'
              for i in range(EVENTS)]
    return '\n'.join(lines) + '\n'


def compile_once(path, output):
    """The seconds in user space, and the maximum memory in MB, of the compiler and its children."""
    command = ['cc', '-std=gnu17', '-O2', f'-I{INCLUDE}', '-c', path, '-o', output]
    # In a process of its own: ru_maxrss is the maximum of all children of a process.
    probe = ('import resource, subprocess, sys\n'
             'status = subprocess.run(sys.argv[1:]).returncode\n'
             'usage = resource.getrusage(resource.RUSAGE_CHILDREN)\n'
             'print(status, usage.ru_utime, usage.ru_maxrss)')
    done = subprocess.run([sys.executable, '-c', probe, *command], stdout=subprocess.PIPE, text=True,
                          check=True)
    status, seconds, kilobytes = map(float, done.stdout.split())
    if status:
        raise Failure('the compiler failed')
    return seconds, kilobytes / 1024


def text_bytes(output):
    sections = subprocess.run(['size', '-A', output], stdout=subprocess.PIPE, text=True, check=True).stdout
    return sum(map(int, re.findall(r'^\.text\S*\s+(\d+)', sections, re.M)))


def measure(figures, directory):
    path, output = os.path.join(directory, 'cost.c'), os.path.join(directory, 'cost.o')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(source())
    costs = [compile_once(path, output) for _ in range(ROUNDS)]
    figures.add('compile_1000_events_s', 's', [seconds for seconds, _ in costs])
    figures.add('compile_1000_events_mb', 'MB', [megabytes for _, megabytes in costs])
    figures.add('text_bytes_per_event', 'bytes', [text_bytes(output) / EVENTS])
