# SPDX-License-Identifier: MIT
"""Reads recordings: perf.data of cairn, perf and others, and trace files of cairn.

    import cairn

    for event in cairn.read("trace.cairn", events=["MyProvider:Request"], filter="DurationUs > 1000"):
        print(event["time_ns"], event["fields"]["Path"])

    table = cairn.columns(cairn.read("trace.cairn"), ["time_ns", "event", "DurationUs"])

The module needs libcairn-collect, which it finds as the dynamic linker does, or by the path in CAIRN_LIBRARY.
"""
import ctypes
import errno
import operator
import os
import sys
import threading
import warnings
from ctypes import byref
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, TypedDict, TypeVar, Union

from . import _library as _c
from ._streams import Streams
from ._values import value_of as _value_of

__all__ = ["Counts", "Error", "Event", "Reader", "columns", "read"]

_U32_MAX = 0xffffffff
_TASK_ENDED = _U32_MAX  # as pid or tid: the thread had ended, the kernel did not know it
_FIELDS = "fields."
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

Time = Union[int, datetime]
_Result = TypeVar("_Result")
Texts = Union[str, Iterable[str]]


class Event(TypedDict, total=False):
    """An event. Members that it does not have are missing; `event`, `provider` and `fields` are always there."""
    time_ns: int  # since 1970, or of the recording's clock if that is not known
    clock_ns: int  # of the recording's clock
    cpu: int
    pid: int  # -1: that of a thread that had ended
    tid: int
    comm: str
    container: str  # in which the process runs
    provider: str  # of other events than EventHeader's the tracepoint's system
    event: str
    level: int  # this and what follows, up to `tag`: of EventHeader
    keyword: int
    opcode: int
    id: int
    version: int
    tag: int
    activity: bytes
    related_activity: bytes
    source: int  # the index of the file that it is from
    fields: Dict[str, Any]  # arrays are lists, structs dicts; of fields of one name the last
    error: str  # what is wrong with it, if it is damaged


class Counts(TypedDict):
    """What was read so far, and what is missing."""
    events: int  # in the range of time; the other options may have left some of them out
    damaged: int
    unreadable: int
    filtered: int  # out of the range of time
    undated: int  # of `filtered`: the range has a datetime, and their time of day is not known
    lost: int
    lost_packets: int


class Error(OSError):
    """A recording that cannot be read, or not to its end. `offset`: the position in the file."""

    def __init__(self, code: int, text: str, path: Optional[str] = None, offset: int = 0):
        super().__init__(code, text, path)
        self.offset = offset


def _text(part: _c.Slice) -> str:
    return ctypes.string_at(part.text, part.length).decode("utf-8", "replace") if part.length else ""


def _name(field: _c.ItemField) -> str:
    return _text(field.name).partition(";")[0]


def _ns(time: datetime) -> int:
    """Of a datetime without a zone, that of the local time."""
    since_epoch = (time.astimezone(timezone.utc) - _EPOCH) // timedelta(microseconds=1) * 1000
    return since_epoch + getattr(time, "nanosecond", 0)  # which pandas.Timestamp has


def _limit(name: str, time: Time, first: int) -> Tuple[str, int]:
    """The member of the options for "since" or "until", and its value."""
    if isinstance(time, datetime):
        member, ns, limits = name + "_wall_ns", _ns(time), "1970 and 2554"
    else:
        member, ns, limits = name + "_ns", operator.index(time), f"{first} and 2**64 - 1"
    if not first <= ns < 1 << 64:
        raise ValueError(f"{name} is not between {limits}: {time}")
    return member, ns


def _terminated(text: bytes) -> bytes:
    """A text for C, where a NUL would end it."""
    if b"\0" in text:
        raise ValueError(f"a NUL in a text: {text!r}")
    return text


def _level_of_caller() -> int:
    """The level, for a warning of the function that calls this, of the frame outside of the module."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals is globals():
        level, frame = level + 1, frame.f_back
    return level


def _texts(values: Texts) -> List[str]:
    """A str is one of them, not its characters."""
    return [values] if isinstance(values, str) else list(values)


def _strings(values: Texts) -> Any:
    texts = _texts(values)
    return (ctypes.c_char_p * len(texts))(*(_terminated(text.encode()) for text in texts))


def _numbers(name: str, values: Iterable[int], first: int) -> Any:
    numbers = [operator.index(value) for value in values]
    for number in numbers:
        if not first <= number <= _U32_MAX:
            raise ValueError(f"a number in {name} is not between {first} and 2**32 - 1: {number}")
    return (ctypes.c_uint32 * len(numbers))(*(number & _U32_MAX for number in numbers))  # of -1 it is _TASK_ENDED


class Reader:
    """The events of one or several recordings in the order of time: an iterator, and a context manager that closes it.

    Several threads may use it: each event is returned to one of them.
    """

    def __init__(self, *paths: Union[str, "os.PathLike[str]"], events: Texts = (), filter: Optional[str] = None,
                 pids: Iterable[int] = (), tids: Iterable[int] = (), cpus: Iterable[int] = (), comms: Texts = (),
                 since: Optional[Time] = None, until: Optional[Time] = None, in_file_order: bool = False):
        """events: names, with * and ?: EVENT, TRACEPOINT or PROVIDER:EVENT. filter: as for `cairn decode --filter`.
        comms: names of threads, with * and ?. A str is one name. since, until: ns of the recording's clock, or a datetime."""
        self._reader: Optional[int] = None
        self._selection: Optional[int] = None
        self._paths = [os.fspath(path) for path in paths]
        self._lock = threading.RLock()  # for all that close() releases; ctypes releases the interpreter's lock
        self._is_reading = False  # by the thread that has the lock
        self._is_closed = False
        self._has_ended = False
        self._streams = Streams(in_file_order)
        self._noted: Optional[Counts] = None
        self._event_at = ctypes.POINTER(_c.Event)()
        self._parts: List[int] = []  # the readers of the paths, which close with self._reader
        if not paths:
            raise ValueError("no recording")
        try:
            self._selection = self._select(filter, _strings(events), _numbers("pids", pids, -1), _numbers("tids", tids, -1),
                                           _numbers("cpus", cpus, 0), _strings(comms))
            self._reader = self._open(self._range(since, until, in_file_order))
        except BaseException:
            self.close()
            raise

    # ---- opening ----

    @staticmethod
    def _range(since: Optional[Time], until: Optional[Time], in_file_order: bool) -> _c.ReaderOptions:
        options = _c.ReaderOptions(size=ctypes.sizeof(_c.ReaderOptions), in_file_order=in_file_order)
        for name, time, first in (("since", since, 0), ("until", until, 1)):  # 0 as the end is none
            if time is not None:
                setattr(options, *_limit(name, time, first))
        return options

    def _open(self, options: _c.ReaderOptions) -> int:
        merged = ctypes.c_void_p()
        for path in self._paths:
            self._open_part(path, options)
        count = len(self._parts)
        if count == 1:
            return self._parts[0]
        code = _c.library.cairn_reader_merge((ctypes.c_void_p * count)(*self._parts), count, byref(merged))
        if code:
            raise Error(code, os.strerror(code))
        return merged.value or 0

    def _open_part(self, path: str, options: _c.ReaderOptions) -> None:
        reader, error = ctypes.c_void_p(), _c.PerfError()
        name = _terminated(os.fsencode(path))
        stream = self._streams.add(name)

        def open_part() -> int:
            if stream is None:
                code = _c.library.cairn_reader_open(name, byref(options), byref(error), byref(reader))
            else:
                code = _c.library.cairn_reader_open_fd(stream, byref(options), byref(error), byref(reader))
            if not code:
                self._parts.append(reader.value or 0)
            return code

        code = open_part() if stream is None else self._streams.call(open_part, self._note_counts, self._release_if_closed)
        if code:
            raise self._error(code, error, path)

    @staticmethod
    def _error(code: int, error: _c.PerfError, path: Optional[str]) -> Error:
        text = error.text.decode() if error.code == code and error.text else os.strerror(code)
        return Error(code, text, path, error.offset)

    def _read_error(self, code: int) -> Error:
        """The error of the file that ended so, of several files."""
        for path, part in zip(self._paths, self._parts):
            error = _c.library.cairn_reader_error(part).contents
            if error.code == code:
                return self._error(code, error, path)
        return self._error(code, _c.PerfError(), self._paths[0] if len(self._paths) == 1 else None)

    @staticmethod
    def _select(expression: Optional[str], events: Any, pids: Any, tids: Any, cpus: Any, comms: Any) -> Optional[int]:
        if expression is None and not any((events, pids, tids, cpus, comms)):
            return None
        error, selection = _c.FilterError(), ctypes.c_void_p()
        options = _c.SelectionOptions(
            ctypes.sizeof(_c.SelectionOptions), events, len(events),
            _terminated(expression.encode()) if expression is not None else None,
            pids, len(pids), tids, len(tids), cpus, len(cpus), comms, len(comms))
        code = _c.library.cairn_selection_create(byref(options), byref(error), byref(selection))
        if code == errno.EINVAL and error.reason:
            raise ValueError(f"the filter is invalid at {error.position}: {error.reason.decode()}")
        if code:
            raise Error(code, os.strerror(code))
        return selection.value or 0

    # ---- closing ----

    def close(self) -> None:
        """Releases the recordings. May be called again.

        A thread that is reading gets a ValueError as soon as the library returns, and releases them: this does not wait for it.
        """
        self._is_closed = True
        self._streams.stop()
        self._release()

    def _release(self, blocking: bool = False) -> None:
        """Releases what a closed reader has, unless it is in use: its user calls this afterwards, see _used."""
        if not self._lock.acquire(blocking):
            return
        try:
            if self._is_reading or self._streams.is_waiting:
                return
            _c.library.cairn_selection_destroy(self._selection)
            for reader in self._parts if self._reader is None else [self._reader]:
                _c.library.cairn_reader_close(reader)
            self._streams.close()
            self._selection = self._reader = None
            self._parts.clear()
        finally:
            self._lock.release()

    def _release_if_closed(self) -> None:
        if self._is_closed:
            self._release(blocking=True)

    def _used(self, function: Callable[[], _Result]) -> _Result:
        """Calls a function that uses the reader, one thread at a time."""
        try:
            with self._lock:
                if self._is_closed:
                    raise ValueError("the reader is closed")
                return function()
        finally:
            if self._is_closed:
                self._release()

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_reader", None) is not None:
            self.close()

    # ---- events ----

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        event: Optional[Event] = None
        while event is None:
            event = self._used(self._take)
        return event

    def _take(self) -> Optional[Event]:
        """The next event, or None: look again, as it is not selected or a stream pauses."""
        if self._is_reading:
            raise ValueError("the reader is being read: a handler of a signal cannot read it, too")
        try:
            self._is_reading = True
            code = self._streams.next(self._next, self._note_counts, self._release_if_closed)
            if code == errno.EAGAIN or self._is_closed:
                return None
            if code == errno.ENODATA:
                self._warn_of_undated()
                raise StopIteration
            if code:
                raise self._read_error(code)
            return self._event(self._event_at.contents) if self._is_selected() else None
        finally:
            self._is_reading = False

    def _next(self) -> int:
        return _c.library.cairn_reader_next(self._reader, byref(self._event_at))

    def _is_selected(self) -> bool:
        is_selected = ctypes.c_bool(True)
        if self._selection is not None:
            code = _c.library.cairn_selection_match(self._selection, self._event_at, byref(is_selected))
            if code:
                raise Error(code, os.strerror(code))
        return is_selected.value

    def _warn_of_undated(self) -> None:
        """Once, at the end."""
        for path, part in zip(self._paths, self._parts):
            count = 0 if self._has_ended else _c.library.cairn_reader_counts(part).contents.undated
            if count:
                warnings.warn(f"{path}: the time of day of {count} events is not known: a datetime as since or until selects none of "
                              "them; use ns of the recording's clock", stacklevel=_level_of_caller())
        self._has_ended = True

    def _event(self, event: _c.Event) -> Event:
        kind = event.type.contents
        result: Event = {}
        if event.has & _c.HAS_TIME:
            result["time_ns"] = event.wall_ns if event.has & _c.HAS_WALL else event.time_ns
            result["clock_ns"] = event.time_ns
        if event.has & _c.HAS_CPU:
            result["cpu"] = event.cpu
        if event.has & _c.HAS_TID:
            result["pid"], result["tid"] = (-1 if task == _TASK_ENDED else task for task in (event.pid, event.tid))
        if event.comm is not None:
            result["comm"] = event.comm.decode("utf-8", "replace")
        if event.container is not None:
            result["container"] = event.container.decode("utf-8", "replace")
        result["provider"], result["event"] = _text(kind.provider), _text(kind.name)
        if kind.is_eventheader:
            result.update(level=kind.level, keyword=kind.keyword, opcode=kind.opcode, id=kind.id, version=kind.version,
                          tag=kind.tag)
        if event.activity_id:
            result["activity"] = ctypes.string_at(event.activity_id, 16)
        if event.related_id:
            result["related_activity"] = ctypes.string_at(event.related_id, 16)
        if len(self._paths) > 1:
            result["source"] = _c.library.cairn_reader_source(self._reader)
        items = _c.library.cairn_reader_items(self._reader)
        result["fields"] = self._fields(items, event.swap)
        error = _c.library.cairn_items_error(items)
        if error:
            result["error"] = _c.library.cairn_event_error_text(error).decode()
        return result

    @staticmethod
    def _fields(items: int, swap: bool) -> Dict[str, Any]:
        fields: Dict[str, Any] = {}
        levels: List[Any] = [fields]
        item = _c.Item()
        value: Any
        while _c.library.cairn_items_next(items, byref(item)):
            if item.kind in (_c.ARRAY_END, _c.STRUCT_END):
                levels.pop()
                continue
            field = item.field.contents
            if item.kind == _c.VALUE:
                data = ctypes.string_at(item.data, item.size_bytes) if item.size_bytes else b""
                value = _value_of(field.encoding, field.format, data, swap)
            else:
                value = [] if item.kind == _c.ARRAY_BEGIN else {}
            if item.is_element:
                levels[-1].append(value)
            else:
                levels[-1][_name(field)] = value
            if item.kind != _c.VALUE:
                levels.append(value)
        return fields

    # ---- state ----

    @property
    def counts(self) -> Counts:
        """What was read so far; losses are complete at the end."""
        return self._used(lambda: self._noted if self._noted and self._streams.is_waiting else self._count())

    def _note_counts(self) -> None:
        """For the time of a call that waits for a stream, and uses the reader."""
        self._noted = self._count() if self._reader is not None else None

    def _count(self) -> Counts:
        counts = _c.library.cairn_reader_counts(self._reader).contents
        return {"events": counts.events, "damaged": counts.damaged, "unreadable": counts.unreadable, "filtered": counts.filtered,
                "undated": counts.undated, "lost": counts.lost, "lost_packets": counts.lost_packets}

    @property
    def filter_problem(self) -> Optional[str]:
        """Why the filter could be applied to no event so far, or None."""
        return self._used(self._problem)

    def _problem(self) -> Optional[str]:
        text = _c.library.cairn_selection_problem(self._selection) if self._selection is not None else None
        return text.decode() if text else None


def read(*paths: Union[str, "os.PathLike[str]"], **options: Any) -> Iterator[Event]:
    """Iterates over the events of recordings; the arguments are those of Reader."""
    with Reader(*paths, **options) as reader:
        yield from reader


def _look_up(event: Event, name: str) -> Any:
    """A member of the event, or a field of it, or a member of such a field: "Peer.Port". "fields.pid" is always a field."""
    value: Any = event
    if name in event:
        return value[name]
    value = event["fields"]
    if name.startswith(_FIELDS):
        name = name[len(_FIELDS):]
    if name in value:
        return value[name]
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def columns(events: Iterable[Event], names: Texts) -> Dict[str, Any]:
    """Columns of members and fields, by name: numpy arrays if numpy is there, otherwise lists.

    A name such as "pid" is that of a member, for events that have it, and of a field for others; "fields.pid" is always the field.
    Columns of numbers have a numeric type, with NaN for events without the field if there are any; others are objects.
    pandas.DataFrame(cairn.columns(...)) makes a table of them.
    """
    lists: Dict[str, List[Any]] = {name: [] for name in _texts(names)}
    for event in events:
        for name, values in lists.items():
            values.append(_look_up(event, name))
    try:
        import numpy
    except ImportError:
        return lists
    return {name: _array(numpy, values) for name, values in lists.items()}


def _array(numpy: Any, values: List[Any]) -> Any:
    present = [value for value in values if value is not None]
    if not present or not all(isinstance(value, (int, float)) for value in present):
        return numpy.array(values, dtype=object)
    if len(present) < len(values):
        return numpy.array([float("nan") if value is None else value for value in values], dtype=float)
    if all(isinstance(value, bool) for value in present):
        return numpy.array(values, dtype=bool)
    if all(isinstance(value, int) for value in present):
        try:
            return numpy.array(values, dtype=numpy.int64)
        except OverflowError:
            return numpy.array(values, dtype=numpy.uint64 if min(values) >= 0 else object)
    return numpy.array(values, dtype=float)
