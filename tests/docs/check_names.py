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
RESULT = re.compile(r"struct (cairn_\w+) \*\*?ret_\w+")
PAIRS = {"create": "destroy", "open": "close", "register": "unregister", "enter": "(leave|exit)", "add": "remove"}

# Functions whose first argument is another object than the one that they are about, and the prefix of that.
ABOUT = {
    "cairn_trace_line": "cairn_trace_line",  # the line of a record; the names are looked up for it
    "cairn_trace_write_enter": "cairn_trace_write",  # begins the write, its second argument
    "cairn_eventheader_layer_id": "cairn_eventheader_layer",  # of the layers that cairn_eventheader_layer_create makes
}

# What is begun by one verb and ended by that of another object, or not at all.
NO_PAIR = {
    "cairn_event_set_register",  # its provider's end is its own
    "cairn_decoder_add",  # tracepoints stay as long as the decoder
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


def made_by(returned, arguments):
    """The objects that a function makes or fills in: its results."""
    return [match[1] for match in (STRUCT.match(returned), *map(RESULT.match, arguments)) if match]


def check_prefix(name, returned, arguments):
    """The prefix is that of the first argument, unless that is a result, or that of an object which is made of the first one.
    The memory that an object needs is that of the object, whatever its size depends on."""
    match = STRUCT.match(arguments[0]) if arguments and " *ret_" not in arguments[0] else None
    if not match or name.endswith("_memory_bytes"):
        return
    prefixes = [ABOUT.get(name, prefix_of(match[1])), *made_by(returned, arguments)]
    if not any(re.match(rf"{prefix}s?(_|$)", name) for prefix in prefixes):
        yield f"{name} is about a {match[1]}, and does not begin with {prefixes[0]}_"


def check_pair(name, returned, arguments, names):
    """The end has the prefix of the beginning, or that of the object that is made."""
    for begin, end in PAIRS.items():
        match = re.fullmatch(rf"(\w+)_{begin}(_\w+)?", name)
        prefixes = [match[1], *made_by(returned, arguments)] if match else []
        if match and name not in NO_PAIR and not any(re.fullmatch(f"{prefix}_{end}", other) for other in names for prefix in prefixes):
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
    names = {name: declared for name, declared in found.items() if not name.startswith("cairn_i_")}
    bad = [f"{name} has no prefix" for name in names if not name.startswith("cairn_")]
    for name, (returned, arguments) in names.items():
        bad += [*check_prefix(name, returned, arguments), *check_pair(name, returned, arguments, names)]
    bad += [f"{name} is an exception, and is not declared" for name in {*ABOUT, *NO_PAIR} - set(names)]
    bad += check_internal(root)
    bad += check_tags(root)
    print("\n".join(bad) or f"{len(names)} functions")
    return bool(bad) or not names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
