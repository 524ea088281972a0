#!/usr/bin/env python3
"""A container without /dev/fuse, as unshare makes it: `cairn run` says that a library serves the program, which does; `cairn doctor`
has the cause; --transport=mount is an error. With the device, a mount serves it. As root of a user namespace, and as root. All
system calls of a container may pass a filter, which podman and Docker install; this one ends a program that copies memory by the
kernel.

usage: fallback.py CAIRN V4_EXAMPLE
"""
import ctypes
import os
import platform
import struct
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
# The example of the first design of user_events registers and writes ten events, which are recorded.
RECORDING = ("cd $CAIRN_TRACING_DIR && { $0 1 taken & } && until $CAIRN list 2>&1 | grep -q test; do sleep 0.02; done; "
             "$CAIRN record -q -e test -o t.cairn & until test -s taken; do sleep 0.02; done; kill -INT $!; wait; "
             "test $($CAIRN decode -f jsonl t.cairn | wc -l) -ge 10 && echo recorded")
PROCESS_VM_READV = {"x86_64": 310, "aarch64": 270, "riscv64": 270}


def install_filter():
    """Ends the process at process_vm_readv, permits all else."""
    load, jump_if_equal, reply = 0x20, 0x15, 0x06
    kill, permit = 0x80000000, 0x7fff0000
    steps = [(load, 0, 0, 0), (jump_if_equal, 0, 1, PROCESS_VM_READV[platform.machine()]), (reply, 0, 0, kill), (reply, 0, 0, permit)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    set_no_new_privileges, set_filter, by_program = 38, 22, 2
    if libc.prctl(set_no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_filter, by_program, program, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def run(container, before, *command, preexec=None):
    with tempfile.TemporaryDirectory(prefix="cairn-fallback-", ignore_cleanup_errors=True) as directory:
        env = dict(os.environ, CAIRN_TRACING_DIR=directory, T="/sys/kernel/tracing", CAIRN=os.path.abspath(sys.argv[1]))
        env.pop("CAIRN_RUN_TRANSPORT", None)
        return subprocess.run([*container, "sh", "-c", before + ' && exec "$@"', "sh", *command], env=env, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=preexec)


def check(cairn, example, container):
    emulated = (cairn, "run", "--backend=local")
    done = run(container, OWN_DEV, *emulated, "sh", "-c", PROGRAM)
    assert done.returncode == 0 and done.stdout == "1\n", done
    assert "a library that is loaded into the program emulates the files" in done.stderr, done
    done = run(container, OWN_DEV, *emulated, "-q", "sh", "-c", RECORDING, example, preexec=install_filter)
    assert done.returncode == 0 and done.stdout.endswith("recorded\n") and not done.stderr, done
    done = run(container, OWN_DEV, *emulated, "--transport=mount", "true")
    assert done.returncode == 125 and "is /dev/fuse there?" in done.stderr, done
    done = run(container, OWN_DEV, cairn, "doctor")
    assert "cairn run loads a library" in done.stdout and "No such file or directory" in done.stdout, done
    done = run(container, "true", *emulated, "sh", "-c", PROGRAM + "; ls $T/events/user_events/inside")
    assert done.returncode == 0 and done.stdout == "1\nenable\nfilter\nformat\nid\n" and not done.stderr, done


def main():
    cairn, example = map(os.path.abspath, sys.argv[1:])
    containers = [["unshare", "--user", "--map-root-user", "--mount"]]
    if os.geteuid() == 0:
        containers.append(["unshare", "--mount"])
        containers.append(["unshare", "--mount", "--pid", "--fork", "--mount-proc"])
    for container in containers:
        if run(container, OWN_DEV, "true").returncode or not os.access("/dev/fuse", os.R_OK | os.W_OK):
            print("skipped: no container can be made here, or there is no /dev/fuse")
            return SKIP
        check(cairn, example, container)
    return 0


if __name__ == "__main__":
    sys.exit(main())
