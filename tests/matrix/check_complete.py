#!/usr/bin/env python3
"""Every public function of libcairn is called by the actions of the matrix.

Left out is what the freestanding core defines: it has no locks and calls no C library. Of the core, those functions are
in that call the host's locks and waits.

usage: check_complete.py NM LIBCAIRN.SO LIBCAIRN-CORE.A OBJECT...
"""
import subprocess
import sys

THROUGH_THE_HOST = {
    "cairn_trace_event_callback_add",
    "cairn_trace_event_callback_remove",
    "cairn_trace_event_filter_set",
    "cairn_trace_synchronize",
}


def names(nm, path, kinds, *arguments):
    lines = subprocess.run([nm, *arguments, path], check=True, capture_output=True, text=True).stdout.splitlines()
    # A name may have a version. What is for libcairn-collect alone has one that says so.
    return {line.split()[-1].split("@")[0] for line in lines
            if len(line.split()) > 1 and line.split()[-2] in kinds and "_PRIVATE_" not in line}


def main(nm, library, core, *objects):
    public = {name for name in names(nm, library, "T", "-D", "--defined-only") if name.startswith("cairn_")}
    wanted = public - names(nm, core, "T", "--defined-only") | THROUGH_THE_HOST
    called = set().union(*(names(nm, path, "U") for path in objects))
    missing = sorted(wanted - called)
    print("\n".join(f"{name}: no action calls it" for name in missing) or f"{len(wanted)} functions are called")
    return bool(missing) or not wanted


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
