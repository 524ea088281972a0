#!/usr/bin/env python3
"""Names of public functions follow the rules of docs/stability.md: one prefix for one object, one pair of verbs for each kind.
Internal names have the prefix of their component: what begins with cairn_ or CAIRN_ is in a public header. A tag (of a struct,
a union or an enumeration) is defined once in the tree.

usage: check_names.py SOURCE_ROOT
"""
import pathlib
import re
import sys

import headers

STRUCT = re.compile(r"(?:const )?struct (cairn_\w+) \*")
PAIRS = {"create": "destroy", "open": "close", "register": "unregister", "enter": "(leave|exit)", "add": "remove"}

# Functions whose first argument is another object than the one that they are about, and the prefix of that.
ABOUT = {
    "cairn_activity_id_generate": "cairn_activity_id",
    "cairn_event_set_register": "cairn_event_set",
    "cairn_event_set_find": "cairn_event_set",
    "cairn_filter_compile": "cairn_filter",
    "cairn_filter_compile_for_cpus": "cairn_filter",
    "cairn_static_key_enable": "cairn_static_key",
    "cairn_static_key_disable": "cairn_static_key",
    "cairn_static_key_trap": "cairn_static_key",
    "cairn_trace_cursor_memory_bytes": "cairn_trace_cursor",
    "cairn_trace_text_memory_bytes": "cairn_trace_text",
    "cairn_trace_text_stats": "cairn_trace_text",
    "cairn_trace_line": "cairn_trace_line",
    "cairn_trace_write_enter": "cairn_trace_write",
    "cairn_perf_sample_parse": "cairn_perf_sample",
    "cairn_pool_commit": "cairn_pool",
    "cairn_pool_scan": "cairn_pool",
    "cairn_pool_take": "cairn_pool",
    "cairn_writer_own": "cairn_writer",
    "cairn_eventheader_layer_id": "cairn_eventheader_layer",
    "cairn_stderr_layer_create": "cairn_stderr_layer",
    "cairn_eventheader_layer_create": "cairn_eventheader_layer",
}

# What is begun by one verb and ended by that of another object, or not at all.
NO_PAIR = {
    "cairn_event_set_register",  # its provider's end is its own
    "cairn_decoder_add",         # tracepoints stay as long as the decoder
    "cairn_stderr_layer_create", "cairn_eventheader_layer_create",  # cairn_layer_destroy
    "cairn_perf_writer_add_tracepoint",  # as long as the writer
}

WORD = re.compile(r"\b(?:cairn|CAIRN)_\w+")
PASTED = re.compile(r"\b((?:cairn|CAIRN)_\w+_)##")  # public names that a table's macro makes
TAG = re.compile(r"^(?:typedef |static )?(?:struct|union|enum)\s+(\w+)(?:\s+\w+)?\s*\{", re.M)

# Tags that have a definition for each operating system, or a declaration for each kind of compiler.
ALTERNATIVES = {"cairn_provider", "cairn_dynamic_provider", "cairn_i_form2", "cairn_i_form4", "cairn_i_form6"}

NO_CODE = re.compile(headers.COMMENT.pattern + r'|"(?:[^"\\]|\\.)*"', re.S)
BUILD_OPTIONS = {"CAIRN_VERSION", "CAIRN_HAVE_ZSTD", "CAIRN_HAVE_ZLIB", "CAIRN_HAVE_LIBDW", "CAIRN_HAVE_PROTOBUF_C", "CAIRN_HAVE_SQLITE", "CAIRN_CHECK_LOCKS", "CAIRN_RUN_DIRECTORY", "CAIRN_RUN_FROM_BIN"}


def prefix_of(struct):
    """Options and scopes are those of an object; a plural is of many."""
    return re.sub(r"_(options|scope)$", "", struct)


def check_prefix(name, arguments):
    match = STRUCT.match(arguments[0]) if arguments else None
    if not match:
        return
    prefix = ABOUT.get(name, prefix_of(match[1]))
    if not re.match(rf"{prefix}s?(_|$)", name):
        yield f"{name} is about a {match[1]}, and does not begin with {prefix}_"


def check_pair(name, names):
    for begin, end in PAIRS.items():
        match = re.fullmatch(rf"(\w+)_{begin}(_\w+)?", name)
        if match and name not in NO_PAIR and not any(re.fullmatch(f"{match[1]}_{end}", other) for other in names):
            yield f"{name} has no {match[1]}_{end}"


def check_internal(root):
    """Each name of the sources that looks public is."""
    public = [path.read_text() for path in root.glob("include/cairn/**/*") if path.is_file()]
    names = {name for text in public for name in WORD.findall(text)} | BUILD_OPTIONS
    pasted = tuple({name for text in public for name in PASTED.findall(text)})
    for path in sorted(root.glob("src/**/*.[ch]")):
        for name in sorted({*WORD.findall(NO_CODE.sub(" ", path.read_text()))} - names):
            if not name.startswith(pasted):
                yield f"{path.relative_to(root)}: {name} is in no public header: an internal name has the prefix of its component"


def check_tags(root):
    """Each struct is one thing: a debugger and a reader find its definition by its tag."""
    found = {}
    for path in sorted([*root.glob("src/**/*.[ch]"), *root.glob("include/cairn/**/*.h")]):
        for tag in sorted({*TAG.findall(NO_CODE.sub(" ", path.read_text()))} - ALTERNATIVES):
            if tag in found:
                yield f"{path.relative_to(root)}: {tag} is defined in {found[tag]}, too"
            found[tag] = path.relative_to(root)


def main(root):
    root = pathlib.Path(root)
    found = {}
    for path in sorted(root.glob("include/cairn/**/*.h")):
        found |= headers.functions(path.read_text())
    names = {name: arguments for name, (_, arguments) in found.items() if not name.startswith("cairn_i_")}
    bad = [f"{name} has no prefix" for name in names if not name.startswith("cairn_")]
    for name, arguments in names.items():
        bad += [*check_prefix(name, arguments), *check_pair(name, names)]
    bad += [f"{name} is an exception, and is not declared" for name in {*ABOUT, *NO_PAIR} - set(names)]
    bad += check_internal(root)
    bad += check_tags(root)
    print("\n".join(bad) or f"{len(names)} functions")
    return bool(bad) or not names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
