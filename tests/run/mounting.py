"""Whether `cairn run` can mount here: tests of mounts are skipped where it cannot."""
import os
import subprocess
import tempfile

SKIP = 77


def can_mount(cairn, *before):
    """`before`: a command that runs it, as unshare."""
    with tempfile.TemporaryDirectory(prefix="cairn-run-", ignore_cleanup_errors=True) as directory:
        tried = subprocess.run([*before, cairn, "run", "-q", "--backend=local", "--transport=mount", "--", "true"],
                               env=os.environ | {"CAIRN_TRACING_DIR": directory}, stderr=subprocess.PIPE, text=True, check=False)
    if tried.returncode:
        print(f"skipped: nothing can be mounted here: {tried.stderr.strip()}")
    return tried.returncode == 0
