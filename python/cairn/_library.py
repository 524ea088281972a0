# SPDX-License-Identifier: MIT
"""The functions and structs of libcairn-collect that the module uses, as cairn/reader.h and cairn/select.h declare them."""
import ctypes
import itertools
import os
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_int, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Optional

HAS_TIME, HAS_WALL, HAS_CPU, HAS_TID = 1, 2, 4, 8
VALUE, ARRAY_BEGIN, ARRAY_END, STRUCT_BEGIN, STRUCT_END = range(5)


class Slice(Structure):
    _fields_ = [("text", c_void_p), ("length", c_uint32)]


class EventType(Structure):
    _fields_ = [("provider", Slice), ("name", Slice), ("is_eventheader", c_bool), ("level", c_uint8), ("opcode", c_uint8),
                ("version", c_uint8), ("id", c_uint16), ("tag", c_uint16), ("keyword", c_uint64), ("options", Slice)]


class Event(Structure):
    _fields_ = [("type", POINTER(EventType)), ("activity_id", c_void_p), ("related_id", c_void_p), ("data", c_void_p),
                ("data_bytes", c_uint32), ("swap", c_bool), ("error", c_int), ("has", c_uint32), ("cpu", c_uint32),
                ("pid", c_uint32), ("tid", c_uint32), ("time_ns", c_uint64), ("wall_ns", c_uint64), ("comm", c_char_p),
                ("tracepoint", c_void_p), ("raw", c_void_p), ("raw_bytes", c_uint32), ("stack", c_void_p),
                ("container", c_char_p)]


class ItemField(Structure):
    _fields_ = [("name", Slice), ("encoding", c_uint8), ("format", c_uint8), ("tag", c_uint16), ("is_array", c_bool)]


class Item(Structure):
    _fields_ = [("field", POINTER(ItemField)), ("kind", c_int), ("is_element", c_bool), ("count", c_uint32),
                ("size_bytes", c_uint32), ("data", c_void_p)]


class ReaderOptions(Structure):
    _fields_ = [("size", c_size_t), ("without_comm", c_bool), ("patterns", c_void_p), ("pattern_count", c_size_t),
                ("filters", c_void_p), ("buffer_bytes", c_size_t), ("since_ns", c_uint64), ("until_ns", c_uint64),
                ("since_wall_ns", c_uint64), ("until_wall_ns", c_uint64), ("in_file_order", c_bool),
                ("without_raw", c_bool), ("with_switches", c_bool)]


class SelectionOptions(Structure):
    _fields_ = [("size", c_size_t), ("patterns", POINTER(c_char_p)), ("pattern_count", c_size_t), ("filter", c_char_p),
                ("pids", POINTER(c_uint32)), ("pid_count", c_size_t), ("tids", POINTER(c_uint32)), ("tid_count", c_size_t),
                ("cpus", POINTER(c_uint32)), ("cpu_count", c_size_t), ("comms", POINTER(c_char_p)), ("comm_count", c_size_t)]


class PerfError(Structure):
    _fields_ = [("code", c_int), ("offset", c_uint64), ("text", c_char_p)]


class FilterError(Structure):
    _fields_ = [("position", c_uint32), ("reason", c_char_p), ("kind", c_int)]


class Missing(Structure):
    _fields_ = [("lost", c_uint64 * 8), ("processes", c_uint64 * 8), ("damaged", c_uint64), ("directory_gone", c_uint32),
                ("kernel_gap", c_uint32), ("silences", c_uint32), ("changed_cpus", c_uint32),
                ("directories_left_out", c_uint32)]


class Counts(Structure):
    _fields_ = [("events", c_uint64), ("damaged", c_uint64), ("unreadable", c_uint64), ("filtered", c_uint64),
                ("lost", c_uint64), ("missing", Missing), ("lost_packets", c_uint64), ("undated", c_uint64)]


# The structs by their names in C: a test compares their sizes and offsets.
STRUCTS = {"cairn_slice": Slice, "cairn_event_type": EventType, "cairn_event": Event, "cairn_item_field": ItemField,
           "cairn_item": Item, "cairn_reader_options": ReaderOptions, "cairn_selection_options": SelectionOptions,
           "cairn_perf_error": PerfError, "cairn_filter_error": FilterError, "cairn_perf_missing": Missing,
           "cairn_reader_counts": Counts}

_FUNCTIONS = {
    "cairn_reader_open": (c_int, [c_char_p, POINTER(ReaderOptions), POINTER(PerfError), POINTER(c_void_p)]),
    "cairn_reader_open_fd": (c_int, [c_int, POINTER(ReaderOptions), POINTER(PerfError), POINTER(c_void_p)]),
    "cairn_reader_merge": (c_int, [POINTER(c_void_p), c_size_t, POINTER(c_void_p)]),
    "cairn_reader_close": (None, [c_void_p]),
    "cairn_reader_next": (c_int, [c_void_p, POINTER(POINTER(Event))]),
    "cairn_reader_items": (c_void_p, [c_void_p]),
    "cairn_reader_source": (c_size_t, [c_void_p]),
    "cairn_reader_counts": (POINTER(Counts), [c_void_p]),
    "cairn_reader_error": (POINTER(PerfError), [c_void_p]),
    "cairn_items_next": (c_bool, [c_void_p, POINTER(Item)]),
    "cairn_items_error": (c_int, [c_void_p]),
    "cairn_event_error_text": (c_char_p, [c_int]),
    "cairn_selection_create": (c_int, [POINTER(SelectionOptions), POINTER(FilterError), POINTER(c_void_p)]),
    "cairn_selection_destroy": (None, [c_void_p]),
    "cairn_selection_match": (c_int, [c_void_p, POINTER(Event), POINTER(c_bool)]),
    "cairn_selection_problem": (c_char_p, [c_void_p]),
}


# A library of another minor version has another name and may have other structs (docs/stability.md).
SONAME = "libcairn-collect.so.0.1"

_DYNAMIC_END, _DYNAMIC_STRINGS, _DYNAMIC_SONAME = 0, 5, 14
_DLINFO_LINK_MAP = 2


class _Dynamic(Structure):
    """ElfW(Dyn)."""
    _fields_ = [("tag", c_size_t), ("value", c_size_t)]


class _LinkMap(Structure):
    _fields_ = [("base", c_size_t), ("path", c_char_p), ("dynamic", POINTER(_Dynamic))]


def _soname(library: ctypes.CDLL) -> Optional[str]:
    """The name that the library has for the dynamic linker; None: not known."""
    try:
        dlinfo = ctypes.CDLL(None).dlinfo
    except AttributeError:
        return None
    dlinfo.argtypes = [c_void_p, c_int, POINTER(POINTER(_LinkMap))]
    link_map = POINTER(_LinkMap)()
    if dlinfo(library._handle, _DLINFO_LINK_MAP, byref(link_map)):
        return None
    entries = link_map.contents.dynamic
    values = {entry.tag: entry.value for entry in itertools.takewhile(lambda entry: entry.tag != _DYNAMIC_END, entries)}
    if _DYNAMIC_SONAME not in values:
        return None
    strings = values[_DYNAMIC_STRINGS]
    if strings < link_map.contents.base:  # some C libraries leave it relative
        strings += link_map.contents.base
    return ctypes.string_at(strings + values[_DYNAMIC_SONAME]).decode()


def _load() -> ctypes.CDLL:
    name = os.environ.get("CAIRN_LIBRARY") or SONAME
    try:
        library = ctypes.CDLL(name)
        soname = _soname(library)
        if soname is not None and soname != SONAME:
            raise ImportError(f"{name} is {soname}, and this version of the module needs {SONAME}")
        for function, (result, arguments) in _FUNCTIONS.items():
            getattr(library, function).restype = result
            getattr(library, function).argtypes = arguments
    except OSError as error:
        raise ImportError(f"the module needs {SONAME} (CAIRN_LIBRARY has the path of another one): {error}") from error
    except AttributeError as error:
        raise ImportError(f"{name} is not the {SONAME} that this version of the module needs: {error}") from error
    return library


library = _load()
