#!/usr/bin/env python3
"""Runs a program under `cairn run`, with a tracing directory of its own.

With --transport=mount, it is skipped where there can be none; with --no-accelerator, no library is loaded then.

usage: run.py CAIRN [--transport=mount [--no-accelerator]] PROGRAM
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from mounting import SKIP, can_mount  # noqa: E402

cairn, *command = sys.argv[1:]
options = [word for word in command if word.startswith("--")] or ["--transport=preload"]
command = [word for word in command if not word.startswith("--")]
is_mount = "--transport=mount" in options
os.environ["CAIRN_TEST_MOUNT" if is_mount else "CAIRN_TEST_LIBRARY"] = "1"
if is_mount:
    if not can_mount(cairn):
        sys.exit(SKIP)
# A mount's server ends, and with it its files, a moment after the last program.
with tempfile.TemporaryDirectory(prefix="cairn-run-", ignore_cleanup_errors=is_mount) as directory:
    # AddressSanitizer must be loaded first, which the library under test is.
    env = dict(os.environ, CAIRN_TRACING_DIR=directory, CAIRN=os.path.abspath(cairn),
               ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
    sys.exit(subprocess.run([cairn, "run", "--backend=local", *options, "--", *command], env=env, check=False).returncode)
