# SPDX-License-Identifier: MIT
"""Measures cairn export in each format, next to cairn decode -f jsonl of the same recording."""
import os
import re
import shutil
import subprocess

from query_cost import make_recording, run

REQUESTS = 200000  # of ten events each
TURNS = 3
NEEDS_MORE = {'parquet'}  # programs that are not ours


def formats(cairn):
    """Those of this build, by the program's help."""
    text = subprocess.run([cairn, 'export', '--help'], capture_output=True, text=True, check=True).stdout
    return [name for name in re.findall(r'^ {23}(\w+): ', text, re.M) if name not in NEEDS_MORE]


def export(cairn, name, recording, directory):
    """The time and the memory of one export; None: the build has no such format."""
    path = f'{directory}/export'
    command = [cairn, 'export', '-f', name, '-o', path, recording]
    if name == 'jsonl':
        command = [cairn, 'decode', '-f', 'jsonl', '-o', path, recording]
    try:
        return run(command, stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError as error:
        if error.returncode == 3:  # something that the format cannot express: expected of some
            return run(['sh', '-c', '"$@"; :', 'sh', *command], stderr=subprocess.DEVNULL)
        return None
    finally:
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)


def measure(figures, build, directory, say, requests=REQUESTS):
    cairn = f'{build}/cairn'
    recording = make_recording(build, directory, requests)
    runs = {name: [] for name in ['jsonl', *formats(cairn)]}
    for _ in range(TURNS):
        for name, results in runs.items():
            results.append(export(cairn, name, recording, directory))
    for name in [name for name, results in runs.items() if None in results]:
        say(f'no figure of the format {name}: it failed')
        del runs[name]
    figures.add_turns('s', {f'export_{name}_s': [seconds for seconds, _ in results] for name, results in runs.items()},
                      'export_jsonl_s')
    # with the pages of the recording that are resident
    memory = [mib for name, results in runs.items() if name != 'jsonl' for _, mib in results]
    figures.add('export_memory_mib', 'MiB', memory, max(memory))
    figures.add('export_memory_limit_mib', 'MiB', [64])
    os.remove(recording)
