#!/usr/bin/env python3
"""Runs a program under `cairn run`, with a tracing directory of its own.

usage: run.py CAIRN PROGRAM
"""
import os
import subprocess
import sys
import tempfile

cairn, *command = sys.argv[1:]
with tempfile.TemporaryDirectory(prefix="cairn-run-") as directory:
    # AddressSanitizer must be loaded first, which the library under test is.
    env = dict(os.environ, CAIRN_TRACING_DIR=directory, CAIRN=os.path.abspath(cairn),
               ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
    sys.exit(subprocess.run([cairn, "run", "--backend=local", "--", *command], env=env, check=False).returncode)
