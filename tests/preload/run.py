#!/usr/bin/env python3
"""Runs a program under `cairn run`, with a tracing directory of its own.

With --fuse, by a mount; then it is skipped where there can be none.

usage: run.py CAIRN [--fuse] PROGRAM
"""
import os
import subprocess
import sys
import tempfile

OWN = ["unshare", "--user", "--map-root-user", "--mount"]
SKIP = 77

cairn, *command = sys.argv[1:]
own = []
if command[0] == "--fuse":
    os.environ["CAIRN_TEST_MOUNT"] = "1"
    own = OWN if os.geteuid() else []
    if subprocess.run([*own, "sh", "-c", ": <>/dev/fuse"], stderr=subprocess.DEVNULL, check=False).returncode:
        print("skipped: there can be no mount here")
        sys.exit(SKIP)
options = [word for word in command if word == "--fuse"]
command = command[len(options):]
# A mount's server ends, and with it its files, a moment after the last program.
with tempfile.TemporaryDirectory(prefix="cairn-run-", ignore_cleanup_errors=bool(options)) as directory:
    # AddressSanitizer must be loaded first, which the library under test is.
    env = dict(os.environ, CAIRN_TRACING_DIR=directory, CAIRN=os.path.abspath(cairn),
               ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
    sys.exit(subprocess.run([cairn, "run", "--backend=local", *options, "--", *command], env=env, check=False).returncode)
