# SPDX-License-Identifier: MIT
"""The cost of events on Windows, under wine, and of disabled ones next to those of Linux."""
import os
import shutil
import subprocess

from tracers import run, run_writer

COMPILER = 'x86_64-w64-mingw32-gcc'
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = 'tests/windows/bench.exe'
TURNS = 5


def build_program(directory):
    """The build directory is that of `make windows`."""
    if not os.path.exists(f'{directory}/build.ninja'):
        run(['meson', 'setup', directory, TOP, '--cross-file', f'{TOP}/tools/cross/x86_64-windows.ini'])
    run(['ninja', '-C', directory, PROGRAM])
    return f'{directory}/{PROGRAM}'


def missing():
    """What is not installed, or None."""
    for program in (COMPILER, 'wine'):
        if not shutil.which(program):
            return program
    return None


def measure(figures, build, linux, disabled, say):
    """`linux` is the writer of Linux, `disabled` the arguments for its disabled events."""
    program = missing()
    if program:
        say(f'no figures of Windows: {program} is not installed')
        return
    bench = build_program(f'{build}-windows')
    environment = dict(os.environ, WINEDEBUG='-all')
    if subprocess.run(['wine', bench], env=environment, capture_output=True, check=False).returncode:
        say('no figures of Windows: wine does not run programs here')
        return
    runs = []
    on_linux = []
    for _ in range(TURNS):
        runs.append(run_writer('wine', bench, env=environment))
        on_linux.append(linux.write('disabled', *disabled)['event_ns'])
    figures.add_turns('ns/event', {f'etw_{name}': [each[name] for each in runs] for name in ('stub_ns', 'enabled_ns', 'text_ns')},
                      'etw_enabled_ns')
    figures.add('etw_disabled_ns', 'ns/event', [each['disabled_ns'] for each in runs])
    figures.add('etw_disabled_linux_ns', 'ns/event', on_linux)
