#!/usr/bin/env python3
"""Runs a program for Windows. Its exit status is that of the program; 77: it cannot be run here.

usage: run.py WINE PROGRAM [ARGUMENT...]
"""
import os
import subprocess
import sys

SKIP = 77


def main(wine, *program):
    environment = dict(os.environ, WINEDEBUG="-all")
    run = subprocess.run([wine, *program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, check=False)
    print(run.stdout)
    if run.returncode in (126, 127):
        print(f"{wine} does not run programs here")
        return SKIP
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
