# SPDX-License-Identifier: MIT
"""The lossless rates: what search.py asks is tried here, on memory that is there."""
import os

import search

HEADROOM = 1.5  # no search begins above what two threads wrote at full speed, times this
MEMORY_SHARE = 0.6  # of what is free: a recording in tmpfs may take so much
PACE_KEPT = 1.01  # the writers may end so much late


class Memory:
    """Keeps the memory for the next recording from wandering off.

    A hypervisor may lend a guest's free pages elsewhere; a page that has to come back costs a
    recorder ten times what a page costs that is there. So what was recorded last is kept, and
    grown to what the next recording may need, until the moment before that begins.
    """

    def __init__(self, folder):
        self.filler = os.path.join(folder, 'filler')
        self.recording = None
        self.held_bytes = 0

    def hold(self, recording):
        self.recording = recording
        self.held_bytes = recording.bytes()

    def make_ready(self, size):
        chunk = bytes(1 << 20)
        with open(self.filler, 'wb') as file:
            while self.held_bytes < size:
                self.held_bytes += file.write(chunk)
        self.release()

    def release(self):
        if self.recording:
            self.recording.remove()
        if os.path.exists(self.filler):
            os.remove(self.filler)
        self.recording = None
        self.held_bytes = 0


def free_bytes(folder):
    """What a recording may take of a tmpfs: it has a size, and the memory behind it another."""
    with open('/proc/meminfo', encoding='ascii') as file:
        memory = next(int(line.split()[1]) << 10 for line in file if 'MemAvailable' in line)
    status = os.statvfs(folder)
    return MEMORY_SHARE * min(memory, status.f_bavail * status.f_frsize)


def flaw(tracer, memory, path, rate, seconds, event_bytes):
    """What is wrong with a recording at this rate; None when nothing is."""
    memory.make_ready(rate * seconds * event_bytes)
    with tracer.recording(path) as recording:
        run = tracer.write('paced', 2, rate, seconds)
    memory.hold(recording)
    if recording.lost:
        return 'events lost'
    if run['seconds'] > PACE_KEPT * seconds:
        return f'pace not kept: {run["seconds"]:.2f} s'
    if seconds == search.PROOF_SECONDS and recording.count() != run['written']:
        return 'events missing'
    return None


def measure(figures, tracers, folder, say):
    """Adds the lossless rate of each of `tracers` {prefix of its figures' names: tracer}."""
    memory = Memory(folder)
    space = free_bytes(folder)

    def probe(prefix, rate, seconds):
        found = flaw(tracers[prefix], memory, f'{folder}/{prefix}lossless', rate, seconds,
                     figures[prefix + 'event_bytes'])
        say(f'  {prefix}lossless_rate: {rate / 1e6:.2f} million/s for {seconds} s: '
            f'{found or "kept"}')
        return not found

    def ceiling(prefix):
        fits = space / figures[prefix + 'event_bytes'] / search.PROOF_SECONDS
        return min(fits, HEADROOM * figures[prefix + 'two_thread_rate'])

    searches = {prefix: search.highest_rate(ceiling(prefix)) for prefix in tracers}
    for prefix, rate in search.take_turns(searches, probe).items():
        figures.add(prefix + 'lossless_rate', 'events/s', [rate])
    memory.release()
