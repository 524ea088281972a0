# SPDX-License-Identifier: MIT
"""Calls of the library that may wait for a stream: they are interruptible, by Ctrl-C or another signal.

Python calls handlers of signals in its main thread only, and not while that is in the library. So such calls are made in another
thread. That costs some 100 us, so it is done only if the library may wait.
"""
import errno
import os
import select
import stat
import threading
from typing import Callable, List, Optional


def _open(path: bytes) -> Optional[int]:
    """Returns a descriptor, 0 for "-"; None: not a stream, or not there, which the library reports."""
    try:
        status = os.fstat(0) if path == b"-" else os.stat(path)
        if stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_size):  # trace_pipe has no size
            return None
        return 0 if path == b"-" else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


class _Call:
    def __init__(self, function: Callable[[], int], then: Callable[[], None]):
        self.code = 0
        self.is_done = False
        self.wait_ends = threading.Event()
        threading.Thread(target=self._run, args=(function, then), daemon=True).start()

    def _run(self, function: Callable[[], int], then: Callable[[], None]) -> None:
        self.code = function()
        self.is_done = True
        self.wait_ends.set()
        then()


class Streams:
    """The streams of a reader, of whose calls one is made at a time. If the caller was interrupted, the call continues, and
    what it returns is for the next caller.
    """

    def __init__(self, in_file_order: bool):
        self._in_file_order = in_file_order
        self._descriptors: List[int] = []
        self._poll = select.poll()
        self._call: Optional[_Call] = None
        self._is_stopped = False
        self._is_paused = True
        self._has_pauses = False

    def add(self, path: bytes) -> Optional[int]:
        """Opens a stream. Returns a descriptor, or None: the path is not one."""
        descriptor = _open(path)
        if descriptor is not None:
            self._descriptors.append(descriptor)
            self._poll.register(descriptor, select.POLLIN)
        return descriptor

    def close(self) -> None:
        for descriptor in self._descriptors:
            if descriptor:
                os.close(descriptor)
        self._descriptors.clear()

    @property
    def is_waiting(self) -> bool:
        """A call uses the reader, whether or not there is a caller."""
        return self._call is not None and not self._call.is_done

    def stop(self) -> None:
        """Ends the wait of another thread in `call`, which returns EAGAIN."""
        self._is_stopped = True
        call = self._call
        if call is not None:
            call.wait_ends.set()

    def call(self, function: Callable[[], int], before: Callable[[], None], then: Callable[[], None]) -> int:
        """Makes a call that may wait, in a thread if the caller is the one that handles signals. `before` and `then` are called
        before and after it if it is made in a thread; `then` by that thread.
        """
        if self._call is None:
            if threading.current_thread() is not threading.main_thread():
                return function()
            before()
            self._call = _Call(function, then)
        if not self._is_stopped:
            self._call.wait_ends.wait()
        if not self._call.is_done:
            return errno.EAGAIN
        code, self._call = self._call.code, None
        return code

    def next(self, function: Callable[[], int], before: Callable[[], None], then: Callable[[], None]) -> int:
        """Makes a call of cairn_reader_next, as `call` does if it may wait: a stream with pauses only after them (EAGAIN), others
        if they are empty.
        """
        if not self._descriptors:
            return function()
        may_wait = self._call is not None or self._is_paused or (not self._has_pauses and self._is_empty())
        code = self.call(function, before, then) if may_wait else function()
        self._is_paused = code == errno.EAGAIN
        self._has_pauses |= self._is_paused and not self._in_file_order
        return code

    def _is_empty(self) -> bool:
        return len(self._poll.poll(0)) < len(self._descriptors)
