# SPDX-License-Identifier: MIT
"""The lossless rates: what search.py asks is tried here, on memory that is there."""
import contextlib
import mmap
import os
import threading

import search

HEADROOM = 1.5  # no search begins above what two threads wrote at full speed, times this
MEMORY_SHARE = 0.6  # of what is free: a recording in tmpfs may take so much
PACE_KEPT = 1.01  # the writers may end so much late
BLOCK_BYTES = 2 << 20  # memory is let go in pieces of this size, a huge page where there are any
AHEAD_BYTES = 256 << 20  # are free for a recording at any time; it takes them in 0.1 s
LOOK_SECONDS = 0.01  # how often it is looked at how far it has come


class Memory:
    """Keeps the memory for the next recording from wandering off.

    A hypervisor may lend a guest's free pages elsewhere after a second or two; a page that has to
    come back costs a recorder several times what a page costs that is there. So the memory that a
    recording may need is held before it begins, and let go little by little while it grows.
    """

    def __init__(self, size):
        self.pages = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.pages.madvise(mmap.MADV_DONTFORK)
        self.blocks = 0  # so many are held when a recording begins
        self.order = []
        self.gone = 0  # of `order`
        self.recording = None
        with contextlib.suppress(OSError):  # a kernel without them: small pages do, too
            self.pages.madvise(mmap.MADV_HUGEPAGE)

    def keep(self, recording):
        """What was recorded last holds memory until the next recording is prepared."""
        self.recording = recording

    def make_ready(self, size):
        """Holds so much, or as much as ever: the tracers' recordings differ, and take turns."""
        if self.recording:
            self.recording.remove()
        self.recording = None
        wanted = int(size + AHEAD_BYTES) // BLOCK_BYTES + 1
        self.blocks = min(max(self.blocks, wanted), len(self.pages) // BLOCK_BYTES)
        for page in range(0, self.blocks * BLOCK_BYTES, mmap.PAGESIZE):
            self.pages[page] = 1
        # Never two neighbours in turn: the kernel would join them, and take smaller pieces first.
        self.order = [*range(0, self.blocks, 2), *range(1, self.blocks, 2)]
        self.gone = 0

    def let_go(self, size):
        """In all, since it was made ready."""
        until = min(size // BLOCK_BYTES, len(self.order))
        for block in self.order[self.gone:until]:
            self.pages.madvise(mmap.MADV_DONTNEED, block * BLOCK_BYTES, BLOCK_BYTES)
        self.gone = max(self.gone, until)

    @contextlib.contextmanager
    def follow(self, recording):
        """Lets go what the recording takes."""
        ended = threading.Event()

        def keep_ahead():
            while not ended.wait(LOOK_SECONDS):
                with contextlib.suppress(OSError):  # a file that has just gone
                    self.let_go(recording.bytes() + AHEAD_BYTES)

        follower = threading.Thread(target=keep_ahead)
        self.let_go(AHEAD_BYTES)
        follower.start()
        try:
            yield
        finally:
            ended.set()
            follower.join()

    def release(self):
        if self.recording:
            self.recording.remove()
        self.pages.close()


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
        with memory.follow(recording):
            run = tracer.write('paced', 2, rate, seconds)
    memory.keep(recording)
    if recording.lost:
        return 'events lost'
    if run['seconds'] > PACE_KEPT * seconds:
        return f'pace not kept: {run["seconds"]:.2f} s'
    if seconds == search.PROOF_SECONDS and recording.count() != run['written']:
        return 'events missing'
    return None


def measure(figures, tracers, folder, say):
    """Adds the lossless rate of each of `tracers` {prefix of its figures' names: tracer}."""
    space = free_bytes(folder)
    memory = Memory(int(space))

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
