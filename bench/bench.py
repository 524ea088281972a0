#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: bench.py BUILD [GROUP...]

Measures cairn, the floor and the peers in turn, in one run, and writes BUILD/bench.tsv: all groups
of figures, or some. README.md explains the figures and how they are measured.
"""
import contextlib
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import compile_cost
import etw_cost
import export_cost
import lossless
import query_cost
import run_cost
import sched_cost
import start_cost
from figures import Figures, median_ratio
from tracers import Alone, Cairn, CairnPerf, Failure, Lttng

BURST_EVENTS = 20000  # of one thread: a fraction of the buffers for the largest records
BURSTS = 21  # the first ones touch the pages of the buffers; with the median of 7 rounds those would decide
BURST_TURNS = 9  # short ones: values that are compared are measured within a second
DISABLED_STEPS = 500000
DISABLED_BURSTS = 25
DISABLED_TURNS = 7
LATENCY_RATE = 100000  # events a second, for a second
LATENCY_TURNS = 7
FIRST_THREADS = 200
FIRST_TURNS = 15
DECODED_EVENTS = 4000000  # a process begins and ends in a twentieth of the time
DECODE_SECONDS = 4  # for recording them, at a low rate
DECODE_TURNS = 5
# No event of the writers has such a number, or text; all have the others.
FILTERS = {'refused_number': 'number > 4000000000', 'refused_text': 'text ~ "192.*"',
           'selected_number': 'number < 4000000000', 'selected_text': 'text ~ "10.*"'}
KERNEL_WORK = 'find /usr/include -type f | head -n 8000 | xargs -n 100 cat >/dev/null'  # what perf records


def say(text):
    print(text, file=sys.stderr, flush=True)


def take_turns(turns, tracers, *arguments):
    """Runs each tracer's writer in turn: {tracer's name: [its output]}."""
    results = {name: [] for name in tracers}
    for _ in range(turns):
        for name, tracer in tracers.items():
            results[name].append(tracer.write(*arguments))
    return results


def bursts(tracers, events=BURST_EVENTS):
    return take_turns(BURST_TURNS, tracers, 'burst', events, BURSTS)


def disabled(tracers):
    return take_turns(DISABLED_TURNS, tracers, 'disabled', DISABLED_STEPS, DISABLED_BURSTS)


def check_nothing_lost(recording, written):
    found = recording.count()
    if recording.lost or found != written:
        raise Failure(f'{recording.path}: {written:.0f} events written, {found} recorded, '
                      f'{recording.lost} reported lost: the buffers should have had space for all')


def event_ns(runs):
    """The time of an event in bursts of one thread."""
    return [1e9 / run['rate_1'] for run in runs]


def measure_disabled(figures, cairn, lttng):
    for prefix, runs in disabled({'': cairn, 'lttng_': lttng}).items():
        figures.add(prefix + 'disabled_ns', 'ns/event', [run['event_ns'] for run in runs])


def measure_bursts(figures, floor, cairn, lttng, directory):
    with cairn.recording(f'{directory}/burst.cairn') as ours, \
            lttng.recording(f'{directory}/burst-lttng') as theirs:
        results = bursts({'floor': floor, 'cairn': cairn, 'lttng': lttng})
    for recording, name in ((ours, 'cairn'), (theirs, 'lttng')):
        check_nothing_lost(recording, sum(run['written'] for run in results[name]))
        recording.remove()
    figures.add_turns('ns/event', {'floor_ns': event_ns(results['floor']),
                                   'enabled_ns': event_ns(results['cairn']),
                                   'lttng_enabled_ns': event_ns(results['lttng'])}, 'enabled_ns')
    for prefix, ns, runs in (('floor_', 'floor_ns', results['floor']),
                             ('', 'enabled_ns', results['cairn']),
                             ('lttng_', 'lttng_enabled_ns', results['lttng'])):
        one = [run['rate_1'] for run in runs]
        two = [run['rate_2'] for run in runs]
        figures.add(prefix + 'one_thread_rate', 'events/s', one, 1e9 / figures[ns])
        figures.add(prefix + 'two_thread_rate', 'events/s', two,
                    1e9 / figures[ns] * median_ratio(two, one))


def record_turns(turns, cairn, lttng, directory, *arguments):
    """Runs the writers of both tracers in turn, each recorded."""
    with cairn.recording(f'{directory}/{arguments[0]}.cairn') as ours, \
            lttng.recording(f'{directory}/{arguments[0]}-lttng') as theirs:
        results = take_turns(turns, {'': cairn, 'lttng_': lttng}, *arguments)
    for recording, prefix in ((ours, ''), (theirs, 'lttng_')):
        check_nothing_lost(recording, sum(run['written'] for run in results[prefix]))
        recording.remove()
    return results


def measure_latency(figures, cairn, lttng, directory):
    """The time of single events, which a recorder collects, and what few of them exceed."""
    results = record_turns(LATENCY_TURNS, cairn, lttng, directory, 'latency', LATENCY_RATE, 1)
    for prefix, runs in results.items():
        for name, key in (('latency', 'median_ns'), ('latency_p999', 'p999_ns'), ('latency_p9999', 'p9999_ns')):
            figures.add(f'{prefix}{name}_ns', 'ns/event', [run[key] for run in runs])


def measure_first(figures, cairn, lttng, directory):
    """The first event of a process and of a thread, and creating and joining a thread."""
    results = record_turns(FIRST_TURNS, cairn, lttng, directory, 'first', FIRST_THREADS)
    for prefix, runs in results.items():
        figures.add(f'{prefix}first_of_process_ns', 'ns', [run['process_ns'] for run in runs])
        figures.add(f'{prefix}first_of_thread_ns', 'ns', [run['thread_ns'] for run in runs])
    figures.add('thread_created_ns', 'ns', [run['create_ns'] for runs in results.values() for run in runs])


def measure_mixed(figures, build, lttng, directory):
    """An event of eight mixed fields, by the macro, by the builder, and by LTTng-UST, and the floor, in turn."""
    tracers = {name: Cairn(build, directory, name) for name in ('mixed', 'mixed-dynamic')}
    tracers['lttng'] = lttng.another('lttng-mixed', 'cairn_bench:mixed')
    tracers['floor'] = Alone(build, 'floor')
    with tracers['mixed'].recording(f'{directory}/mixed.perf.data') as ours, \
            tracers['lttng'].recording(f'{directory}/mixed-lttng') as theirs:
        results = bursts(tracers, BURST_EVENTS // 4)  # of larger records
    check_nothing_lost(ours, sum(run['written'] for name in ('mixed', 'mixed-dynamic') for run in results[name]))
    check_nothing_lost(theirs, sum(run['written'] for run in results['lttng']))
    for recording in (ours, theirs):
        recording.remove()
    figures.add_turns('ns/event', {'mixed_ns': event_ns(results['mixed']),
                                   'mixed_dynamic_ns': event_ns(results['mixed-dynamic']),
                                   'lttng_mixed_ns': event_ns(results['lttng']),
                                   'mixed_floor_ns': event_ns(results['floor'])},
                      'mixed_ns')


def measure_filters(figures, cairn, build, directory):
    """Events that programs leave out by a filter, and that they write by one, each with the floor in turn."""
    for figure, condition in FILTERS.items():
        with cairn.recording(f'{directory}/filter.cairn', '--filter', condition) as recording:
            results = bursts({'cairn': cairn, 'floor': Alone(build, 'floor')})
        if recording.lost:
            raise Failure(f'{recording.lost} events lost by a recorder with a filter')
        recording.remove()
        figures.add_turns('ns/event', {f'{figure}_ns': event_ns(results['cairn']),
                                       f'{figure}_floor_ns': event_ns(results['floor'])}, f'{figure}_ns')


def measure_kernel(figures, build):
    """A kernel's tracepoint without a filter, with one, and the floor, in turn."""
    tracers = {name: Alone(build, name) for name in ('floor', 'kernel', 'kernel-filter')}
    ns = {name: event_ns(runs) for name, runs in bursts(tracers).items()}
    figures.add_turns('ns/event', {'kernel_host_floor_ns': ns['floor'],
                                   'kernel_host_enabled_ns': ns['kernel']},
                      'kernel_host_enabled_ns')
    figures.add('filter_two_ns', 'ns/event',
                [with_filter - without for with_filter, without in zip(ns['kernel-filter'], ns['kernel'])])


def measure_tracing(figures, build, directory):
    tracers = {figure: Cairn(build, directory, program)
               for figure, program in (('tracing_enabled_ns', 'tracing'),
                                       ('tracing_two_layers_ns', 'tracing-two'),
                                       ('tracing_span_ns', 'tracing-span'))}
    event = tracers['tracing_enabled_ns']
    with event.recording(f'{directory}/tracing.perf.data') as recording:
        results = bursts(tracers | {'tracing_floor_ns': Alone(build, 'floor')})
    written = {figure: sum(run['written'] for run in runs) for figure, runs in results.items()}
    # Two layers write each event twice; a run with a span writes one event, its begin.
    check_nothing_lost(recording, written['tracing_enabled_ns'] +
                       2 * written['tracing_two_layers_ns'] + BURST_TURNS)
    recording.remove()
    figures.add_turns('ns/event', {figure: event_ns(runs) for figure, runs in results.items()},
                      'tracing_enabled_ns')


def built(tracers, reason):
    """Removes optional programs that are not built, and reports them with the reason."""
    for figure in [figure for figure, tracer in tracers.items() if not tracer.is_built()]:
        del tracers[figure]
        say(f'  no {figure}: {reason}')
    return tracers


def measure_loggers(figures, build, lttng, directory):
    """The facade and its peers: the same three fields, disabled, and as text."""
    tracef = lttng.another('lttng-tracef', 'lttng_ust_tracef:event')
    no_spdlog = 'libspdlog-dev or a C++ compiler is not installed'
    quiet = built({'spdlog_disabled_ns': Alone(build, 'spdlog', SPDLOG_LEVEL='warn')}, no_spdlog)
    quiet |= {'tracing_disabled_ns': Cairn(build, directory, 'tracing'),
              'tracing_filtered_ns': Alone(build, 'tracing-stderr', CAIRN_LOG='warn'),
              'lttng_tracef_disabled_ns': tracef}
    for figure, runs in disabled(quiet).items():
        figures.add(figure, 'ns/event', [run['event_ns'] for run in runs])

    enabled = built({'spdlog_ns': Alone(build, 'spdlog', SPDLOG_LEVEL='info')}, no_spdlog)
    enabled |= {'glibc_ns': Alone(build, 'glibc'),
                'glibc_line_ns': Alone(build, 'glibc-line'),
                'tracing_stderr_ns': Alone(build, 'tracing-stderr', CAIRN_LOG='info'),
                'lttng_tracef_ns': tracef}
    with tracef.recording(f'{directory}/tracef-lttng') as recording:
        results = bursts(enabled, BURST_EVENTS // 4)
    check_nothing_lost(recording, sum(run['written'] for run in results['lttng_tracef_ns']))
    recording.remove()
    figures.add_turns('ns/event', {figure: event_ns(runs) for figure, runs in results.items()},
                      'tracing_stderr_ns')


def decode(command, output):
    """Starts a decoder; its messages go to standard error."""
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output)


def check_decoded(decoder):
    if decoder.wait():
        raise Failure(f'{" ".join(decoder.args)}: exit status {decoder.returncode}')


def timed(command):
    """The seconds that a decoder takes; its output is discarded."""
    start = time.monotonic()
    check_decoded(decode(command, subprocess.DEVNULL))
    return time.monotonic() - start


def count_mentions(command, marker):
    """The number of events that a decoder prints, to check that it prints all of them."""
    decoder = decode(command, subprocess.PIPE)
    with decoder.stdout:
        found = sum(line.count(marker) for line in decoder.stdout)
    check_decoded(decoder)
    return found


def measure_decoders(figures, cairn, lttng, directory):
    recordings = {}
    for name, tracer, *options in (('perf.data', cairn), ('trace.cairn', cairn), ('packed.cairn', cairn, '-z'),
                                   ('lttng', lttng)):
        with tracer.recording(f'{directory}/decode-{name}', *options) as recordings[name]:
            written = tracer.write('paced', 2, DECODED_EVENTS / DECODE_SECONDS, DECODE_SECONDS)
        if not options:
            check_nothing_lost(recordings[name], written['written'])
        elif recordings[name].lost:
            raise Failure(f'{name}: {recordings[name].lost} events lost')
    figures.add('event_bytes', 'bytes', [recordings['trace.cairn'].bytes() / DECODED_EVENTS])
    figures.add('event_bytes_compressed', 'bytes', [recordings['packed.cairn'].bytes() / DECODED_EVENTS])
    figures.add('perf_event_bytes', 'bytes', [recordings['perf.data'].bytes() / DECODED_EVENTS])
    figures.add('lttng_event_bytes', 'bytes', [recordings['lttng'].bytes() / DECODED_EVENTS])
    decoders = {
        'decode_rate': ([cairn.cairn, 'decode', '-f', 'json', recordings['perf.data'].path],
                        b'"Cairn_Bench'),
        'decode_cairn_rate': ([cairn.cairn, 'decode', '-f', 'jsonl', recordings['trace.cairn'].path],
                              b'"Cairn_Bench'),
        'decode_cairn_two_rate': ([cairn.cairn, 'decode', '-j', '2', '-f', 'jsonl', recordings['trace.cairn'].path],
                                  b'"Cairn_Bench'),
        'decode_packed_rate': ([cairn.cairn, 'decode', '-f', 'jsonl', recordings['packed.cairn'].path],
                               b'"Cairn_Bench'),
        'perf_script_rate': (['perf', 'script', '-i', recordings['perf.data'].path],
                             b'user_events:Cairn_Bench'),
        'babeltrace2_rate': (['babeltrace2', recordings['lttng'].path], b'cairn_bench:event'),
    }
    for name, (command, marker) in decoders.items():
        found = count_mentions(command, marker)
        if found != DECODED_EVENTS:
            raise Failure(f'{name}: {found} of {DECODED_EVENTS} events decoded')
    rates = {name: [] for name in decoders}
    for _ in range(DECODE_TURNS):
        for name, (command, _) in decoders.items():
            rates[name].append(DECODED_EVENTS / timed(command))
    figures.add_turns('events/s', rates, 'decode_rate')
    for recording in recordings.values():
        recording.remove()


def measure_kernel_decoders(figures, cairn, directory):
    """Text of kernel events by their print formats."""
    path = f'{directory}/kernel.perf.data'
    recording = subprocess.run(['perf', 'record', '-q', '-a', '-m', '8M', '-e', 'sched:*', '-e', 'syscalls:*', '-o', path,
                                '--', 'sh', '-c', KERNEL_WORK], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if recording.returncode:
        say(f'no figures of kernel events: {recording.stderr.strip()}')
        return
    decoders = {
        'decode_kernel_rate': [cairn.cairn, 'decode', '-f', 'text', path],
        'perf_script_kernel_rate': ['perf', 'script', '-i', path],
    }
    events = {name: count_mentions(command, b'\n') for name, command in decoders.items()}
    if len(set(events.values())) > 1:
        raise Failure(f'events of a recording of the kernel differ: {events}')
    rates = {name: [] for name in decoders}
    for _ in range(DECODE_TURNS):
        for name, command in decoders.items():
            rates[name].append(events[name] / timed(command))
    figures.add_turns('events/s', rates, 'decode_kernel_rate')
    os.remove(path)


def groups(build, directory, home, cairn, lttng):
    """The measurements by name, in their order: functions of the figures."""
    return {
        'disabled': lambda figures: measure_disabled(figures, cairn, lttng),
        'enabled': lambda figures: measure_bursts(figures, Alone(build, 'floor'), cairn, lttng, directory),
        'latency': lambda figures: measure_latency(figures, cairn, lttng, directory),
        'first': lambda figures: measure_first(figures, cairn, lttng, directory),
        'mixed': lambda figures: measure_mixed(figures, build, lttng, directory),
        'filters': lambda figures: measure_filters(figures, cairn, build, directory),
        'kernel': lambda figures: measure_kernel(figures, build),
        'tracing': lambda figures: measure_tracing(figures, build, directory),
        'loggers': lambda figures: measure_loggers(figures, build, lttng, directory),
        'compile': lambda figures: compile_cost.measure(figures, directory),
        'start': lambda figures: start_cost.measure(figures, build, directory),
        'run': lambda figures: run_cost.measure(figures, build, home),
        'etw': lambda figures: etw_cost.measure(figures, build, cairn, (DISABLED_STEPS, DISABLED_BURSTS), say),
        'decode': lambda figures: measure_decoders(figures, cairn, lttng, directory),
        'decode-kernel': lambda figures: measure_kernel_decoders(figures, cairn, directory),
        'query': lambda figures: query_cost.measure(figures, build, directory, say),
        'export': lambda figures: export_cost.measure(figures, build, directory, say),
        'sched': lambda figures: sched_cost.measure(figures, cairn.cairn, directory, say),
        'lossless': lambda figures: lossless.measure(
            figures, {'': cairn, 'perf_': CairnPerf(build, directory), 'lttng_': lttng}, directory, say),
    }


def measure(figures, build, directory, home, chosen):
    """Runs the chosen groups, or all. What was measured is written after each."""
    with contextlib.closing(Lttng(build, home)) as lttng:
        measurements = groups(build, directory, home, Cairn(build, directory), lttng)
        for name in chosen:
            if name not in measurements:
                raise Failure(f'there is no group {name}: {" ".join(measurements)}')
        for name in chosen or measurements:
            say(f'{name} ...')
            start = time.monotonic()
            measurements[name](figures)
            say(f'  {time.monotonic() - start:.0f} s')
            figures.write(os.path.join(build, 'bench.tsv'))


@contextlib.contextmanager
def scratch(parent=None):
    directory = tempfile.mkdtemp(prefix='cairn-bench-', dir=parent)
    os.chmod(directory, 0o755)
    try:
        yield directory
    finally:
        shutil.rmtree(directory)


@contextlib.contextmanager
def lttng_leftovers_removed():
    """Removes the page in /dev/shm that each program with LTTng leaves, by design."""
    pages = '/dev/shm/lttng-ust-wait-*'
    before = set(glob.glob(pages))
    try:
        yield
    finally:
        for page in set(glob.glob(pages)) - before:
            os.remove(page)


def main():
    build = os.path.abspath(sys.argv[1])
    figures = Figures()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with lttng_leftovers_removed(), scratch('/dev/shm') as directory, scratch() as home:
            measure(figures, build, directory, home, sys.argv[2:])
    except Failure as failure:
        figures.show()
        sys.exit(f'bench: {failure}')
    except KeyboardInterrupt:
        sys.exit(130)
    figures.show()


if __name__ == '__main__':
    main()
