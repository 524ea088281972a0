# SPDX-License-Identifier: MIT
"""The measured tracers, with one interface.

write(kind, ...)     runs the tracer's writer program, see writer.c; returns a dict of its output
recording(path)      a context in which the event is recorded to path; a Recording
"""
import contextlib
import copy
import os
import re
import shutil
import signal
import subprocess
import time

BUFFER_BYTES = 64 << 20  # of each tracer, for all its writers together
NOBODY = 65534


class Failure(Exception):
    """A figure cannot be measured."""


class Recording:
    """A finished recording: the losses that its recorder reports, and the number of its events."""

    def __init__(self, path, count):
        self.path = path
        self.lost = None
        self._count = count

    def count(self):
        return self._count(self.path)

    def bytes(self):
        if os.path.isfile(self.path):
            return os.path.getsize(self.path)
        return sum(os.path.getsize(os.path.join(directory, name))
                   for directory, _, names in os.walk(self.path) for name in names)

    def remove(self):
        if os.path.isdir(self.path):
            shutil.rmtree(self.path)
        else:
            os.remove(self.path)


def run(command, **options):
    """The standard output of a command that must succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, **options)
    if done.returncode:
        raise Failure(f'{" ".join(command)}: {done.stderr.strip() or done.returncode}')
    return done.stdout


def run_writer(program, *arguments, **options):
    """Runs a program; its `name value` lines as a dict."""
    lines = run([program, *map(str, arguments)], **options).splitlines()
    return {name: float(value) for name, value in map(str.split, lines)}


def end(process, signal_number, seconds=30):
    """Ends a daemon or recorder of the bench, waits for it, and returns its exit status."""
    if process.poll() is None:
        process.send_signal(signal_number)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failure(f'{process.args[0]} did not end') from None


class Alone:
    """A writer that needs no recorder: the floor, tracepoints of a kernel, loggers."""

    def __init__(self, build, name, **environment):
        self.program = os.path.join(build, 'bench', 'writer-' + name)
        self.environment = dict(os.environ, **environment)

    def is_built(self):
        return os.path.exists(self.program)

    def write(self, *arguments):
        return run_writer(self.program, *arguments, env=self.environment)


class Lttng:
    """LTTng-UST with a session daemon of the bench's own.

    A daemon of root's would be the machine's: root runs it, and its clients, as nobody.
    """

    def __init__(self, build, home):
        self.build = build
        self.home = home
        self.copy_program('lttng', 'cairn_bench:event')
        self.user = {}
        if os.geteuid() == 0:
            self.user = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
            os.chown(home, NOBODY, NOBODY)
        self.options = dict(self.user, env=dict(os.environ, LTTNG_HOME=home, HOME=home), cwd='/')
        with open(os.path.join(home, 'sessiond.log'), 'wb') as log:
            self.daemon = subprocess.Popen(['lttng-sessiond', '--no-kernel'], stdout=log,
                                           stderr=log, stdin=subprocess.DEVNULL, **self.options)
        self.wait_for_daemon()

    def copy_program(self, name, event):
        """Copies the program: the daemon's user may not be able to read the build directory."""
        self.event = event
        self.program = os.path.join(self.home, 'writer-' + name)
        shutil.copy(os.path.join(self.build, 'bench', 'writer-' + name), self.program)

    def another(self, name, event):
        """Another program, of the same daemon."""
        other = copy.copy(self)
        other.copy_program(name, event)
        return other

    def wait_for_daemon(self):
        for _ in range(100):
            with contextlib.suppress(Failure):
                self.lttng('--no-sessiond', 'list')
                return
            time.sleep(0.1)
        raise Failure('lttng-sessiond does not answer')

    def close(self):
        end(self.daemon, signal.SIGTERM)

    def lttng(self, *arguments):
        return run(['lttng', *arguments], **self.options)

    def write(self, *arguments):
        return run_writer(self.program, *arguments, **self.options)

    @contextlib.contextmanager
    def recording(self, path):
        """Records in discard mode. Each of two processors has a buffer, BUFFER_BYTES together."""
        session = os.path.basename(path)
        subbuffer_bytes = BUFFER_BYTES // 2 // 8
        recording = Recording(path, self.count)
        os.mkdir(path)
        if self.user:
            os.chown(path, NOBODY, NOBODY)
        self.lttng('create', session, f'--output={path}')
        try:
            self.lttng('enable-channel', '-u', '-s', session, '--discard', '--num-subbuf=8',
                       f'--subbuf-size={subbuffer_bytes}', 'channel')
            self.lttng('enable-event', '-u', '-s', session, '-c', 'channel', self.event)
            self.lttng('start', session)
            yield recording
            self.lttng('stop', session)
            recording.lost = int(re.search(r'Discarded events: (\d+)',
                                           self.lttng('list', session)).group(1))
        finally:
            self.lttng('destroy', session)

    def count(self, path):
        """The number of events that babeltrace2 finds in the trace."""
        counted = run(['babeltrace2', path, '--component=sink.utils.counter', '--params=step=+0'])
        return int(re.findall(r'(\d+) Event messages', counted)[-1])


SELECTED_NOTHING = 4  # the exit status of a recorder whose filter selected no event


def lost_by_report(report):
    """The losses that cairn record reports."""
    found = re.search(r'lost ([\d,]+)', report)
    if not found:
        raise Failure(f'cairn record: {report.strip()}')
    return int(found.group(1).replace(',', ''))


class Cairn:
    """cairn's local engine, in a tracing directory of the bench's own."""

    def __init__(self, build, home, name='cairn'):
        self.build = build
        self.program = os.path.join(build, 'bench', 'writer-' + name)
        self.cairn = os.path.join(build, 'cairn')
        self.options = {'env': dict(os.environ, CAIRN_TRACING_DIR=os.path.join(home, 'tracing'),
                                    CAIRN_BACKEND='local')}

    def write(self, *arguments):
        return run_writer(self.program, *arguments, **self.options)

    @contextlib.contextmanager
    def recording(self, path, *options):
        """To a trace file, or to perf.data if the path ends in .data."""
        recording = Recording(path, self.count)
        recorder = subprocess.Popen(
            [self.cairn, 'record', '-e', 'Cairn_Bench_*', '-o', path,
             '--buffer-size', str(BUFFER_BYTES), *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL, **self.options)
        try:
            yield recording
        finally:
            status = end(recorder, signal.SIGINT)
        report = recorder.stderr.read()
        # A file with compressed blocks is not counted by the bench's own program.
        recording.lost = lost_by_report(report) if options else self.lost(path)
        if status not in (0, SELECTED_NOTHING) and not recording.lost:
            raise Failure(f'cairn record: {report.strip()}')

    def file_counts(self, path):
        return run_writer(os.path.join(self.build, 'bench', 'count-samples'), path)

    def lost(self, path):
        return int(self.file_counts(path)['lost'])

    def count(self, path):
        return int(self.file_counts(path)['samples'])


class CairnPerf(Cairn):
    """The same, recorded to perf.data."""

    @contextlib.contextmanager
    def recording(self, path, *options):
        with super().recording(path + '.data', *options) as recording:
            yield recording
