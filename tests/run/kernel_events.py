"""Whether events of the kernel can be recorded here: their tests are skipped where that is not permitted."""
import ctypes
import os
import platform
import struct

CALLS = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "loongarch64": 241, "s390x": 331, "ppc64le": 319}


def can_record():
    """By the system call itself, not by cairn. Prints why not."""
    number = CALLS.get(platform.machine())
    reason = None
    if os.geteuid() != 0:
        reason = "not root"
    elif "tracefs" not in open("/proc/filesystems", encoding="ascii").read():
        reason = "the kernel has no tracefs"
    elif number is None:
        reason = f"the number of perf_event_open on {platform.machine()} is not known"
    else:
        libc = ctypes.CDLL(None, use_errno=True)
        attr = ctypes.create_string_buffer(struct.pack("=IIQ", 1, 64, 9) + bytes(48))  # a dummy event
        fd = libc.syscall(ctypes.c_long(number), attr, -1, 0, -1, ctypes.c_ulong(0))
        if fd < 0:
            reason = f"perf_event_open: {os.strerror(ctypes.get_errno())}"
        else:
            os.close(fd)
    if reason:
        print(f"skipped: events of the kernel cannot be recorded here: {reason}")
    return reason is None
