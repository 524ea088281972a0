#!/usr/bin/env python3
"""A container without /dev/fuse, as unshare makes it: `cairn run` says that a library serves the program, which does; `cairn doctor`
has the cause; --transport=mount is an error. With the device, a mount serves it. As root of a user namespace, and as root.

usage: fallback.py CAIRN
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from mounting import SKIP  # noqa: E402

# A /dev of its own, without fuse.
OWN_DEV = ("mount -t tmpfs tmpfs /mnt && for f in null zero urandom; do : > /mnt/$f && mount --bind /dev/$f /mnt/$f; done && "
           "ln -s /proc/self/fd /mnt/fd && mount --rbind /mnt /dev")
PROGRAM = ("echo 'u:inside u32 a' > $T/dynamic_events; echo 1 > $T/events/user_events/inside/enable; "
           "cat $T/events/user_events/inside/enable")


def run(container, before, *command):
    with tempfile.TemporaryDirectory(prefix="cairn-fallback-", ignore_cleanup_errors=True) as directory:
        env = dict(os.environ, CAIRN_TRACING_DIR=directory, T="/sys/kernel/tracing")
        env.pop("CAIRN_RUN_TRANSPORT", None)
        return subprocess.run([*container, "sh", "-c", before + ' && exec "$@"', "sh", *command], env=env, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check(cairn, container):
    emulated = (cairn, "run", "--backend=local")
    done = run(container, OWN_DEV, *emulated, "sh", "-c", PROGRAM)
    assert done.returncode == 0 and done.stdout == "1\n", done
    assert "a library that is loaded into the program emulates the files" in done.stderr, done
    done = run(container, OWN_DEV, *emulated, "--transport=mount", "true")
    assert done.returncode == 125 and "is /dev/fuse there?" in done.stderr, done
    done = run(container, OWN_DEV, cairn, "doctor")
    assert "cairn run loads a library" in done.stdout and "No such file or directory" in done.stdout, done
    done = run(container, "true", *emulated, "sh", "-c", PROGRAM + "; ls $T/events/user_events/inside")
    assert done.returncode == 0 and done.stdout == "1\nenable\nfilter\nformat\nid\n" and not done.stderr, done


def main():
    cairn = os.path.abspath(sys.argv[1])
    containers = [["unshare", "--user", "--map-root-user", "--mount"]]
    if os.geteuid() == 0:
        containers.append(["unshare", "--mount"])
        containers.append(["unshare", "--mount", "--pid", "--fork", "--mount-proc"])
    for container in containers:
        if run(container, OWN_DEV, "true").returncode or not os.access("/dev/fuse", os.R_OK | os.W_OK):
            print("skipped: no container can be made here, or there is no /dev/fuse")
            return SKIP
        check(cairn, container)
    return 0


if __name__ == "__main__":
    sys.exit(main())
