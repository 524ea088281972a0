# SPDX-License-Identifier: MIT
"""Measures the lossless rates: tries the rates that search.py selects, with memory that is allocated."""
import contextlib
import mmap
import os
import threading

import search

HEADROOM = 1.5  # a search begins at the rate of two threads at full speed, times this
MEMORY_SHARE = 0.6  # the part of the free memory that a recording in tmpfs may take
PACE_KEPT = 1.01  # the writers may take so much longer
BLOCK_BYTES = 2 << 20  # memory is freed in blocks of this size: a huge page, if there are any
AHEAD_BYTES = 256 << 20  # free for a recording at any time; it fills them in 0.1 s
LOOK_SECONDS = 0.01  # interval of looking at the size of the recording


class Memory:
    """Holds the memory for the next recording, so that the hypervisor does not take it.

    A hypervisor may take the free pages of a guest after a second or two; getting such a page again
    costs a recorder several times as much as another page. So the memory that a recording may need is
    allocated before it begins, and freed in steps while it grows.
    """

    def __init__(self, size):
        self.pages = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.pages.madvise(mmap.MADV_DONTFORK)
        self.blocks = 0  # held when a recording begins
        self.order = []  # in which they are freed
        self.freed = 0  # the number of these
        self.recording = None
        with contextlib.suppress(OSError):  # small pages will do if the kernel has no huge ones
            self.pages.madvise(mmap.MADV_HUGEPAGE)

    def keep(self, recording):
        """Keeps the last recording, which holds memory, until the next one is prepared."""
        self.recording = recording

    def make_ready(self, size):
        """Holds this size, or the largest so far: recordings of the tracers differ, and take turns."""
        if self.recording:
            self.recording.remove()
        self.recording = None
        wanted = int(size + AHEAD_BYTES) // BLOCK_BYTES + 1
        self.blocks = min(max(self.blocks, wanted), len(self.pages) // BLOCK_BYTES)
        for page in range(0, self.blocks * BLOCK_BYTES, mmap.PAGESIZE):
            self.pages[page] = 1
        # Adjacent blocks are not freed in turn: the kernel would merge them, and use smaller ones first.
        self.order = [*range(0, self.blocks, 2), *range(1, self.blocks, 2)]
        self.freed = 0

    def free_until(self, size):
        """Frees so much in all, since make_ready."""
        until = min(size // BLOCK_BYTES, len(self.order))
        for block in self.order[self.freed:until]:
            self.pages.madvise(mmap.MADV_DONTNEED, block * BLOCK_BYTES, BLOCK_BYTES)
        self.freed = max(self.freed, until)

    @contextlib.contextmanager
    def free_during(self, recording):
        """Frees memory while the recording grows."""
        ended = threading.Event()

        def keep_ahead():
            while not ended.wait(LOOK_SECONDS):
                with contextlib.suppress(OSError):  # a file was just removed
                    self.free_until(recording.bytes() + AHEAD_BYTES)

        thread = threading.Thread(target=keep_ahead)
        self.free_until(AHEAD_BYTES)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def release(self):
        if self.recording:
            self.recording.remove()
        self.pages.close()


def free_bytes(directory):
    """The size that a recording may have in a tmpfs: limited by its size and by the free memory."""
    with open('/proc/meminfo', encoding='ascii') as file:
        memory = next(int(line.split()[1]) << 10 for line in file if 'MemAvailable' in line)
    status = os.statvfs(directory)
    return MEMORY_SHARE * min(memory, status.f_bavail * status.f_frsize)


def flaw(tracer, memory, path, rate, seconds, event_bytes):
    """Records at this rate. Returns what is wrong with the recording; None if it is complete."""
    memory.make_ready(rate * seconds * event_bytes)
    with tracer.recording(path) as recording:
        with memory.free_during(recording):
            run = tracer.write('paced', 2, rate, seconds)
    memory.keep(recording)
    if recording.lost:
        return 'events lost'
    if run['seconds'] > PACE_KEPT * seconds:
        return f'pace not kept: {run["seconds"]:.2f} s'
    if seconds == search.PROOF_SECONDS and recording.count() != run['written']:
        return 'events missing'
    return None


def measure(figures, tracers, directory, say):
    """Adds the lossless rate of each of `tracers` {prefix of its figures' names: tracer}."""
    space = free_bytes(directory)
    memory = Memory(int(space))

    def probe(prefix, rate, seconds):
        found = flaw(tracers[prefix], memory, f'{directory}/{prefix}lossless', rate, seconds,
                     figures[prefix + 'event_bytes'])
        say(f'  {prefix}lossless_rate: {rate / 1e6:.2f} million/s for {seconds} s: '
            f'{found or "kept"}')
        return not found

    def ceiling(prefix):
        fits = space / figures[prefix + 'event_bytes'] / search.PROOF_SECONDS
        writing = prefix if prefix + 'two_thread_rate' in figures.values else ''
        return min(fits, HEADROOM * figures[writing + 'two_thread_rate'])

    searches = {prefix: search.highest_rate(ceiling(prefix)) for prefix in tracers}
    for prefix, rate in search.take_turns(searches, probe).items():
        figures.add(prefix + 'lossless_rate', 'events/s', [rate])
    memory.release()
