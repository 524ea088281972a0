# SPDX-License-Identifier: MIT
"""The way of .NET: a collector opens the file, and passes it to the runtime, which may not open it; the runtime registers and
writes. Here both are this program, and the one that opens has ended before the other writes."""
import os
import socket
import sys

import register


def main():
    collector, runtime = socket.socketpair()
    pid = os.fork()
    if not pid:
        data = os.open("/sys/kernel/tracing/user_events_data", os.O_RDWR)
        socket.send_fds(collector, [b"x"], [data])
        os._exit(0)
    os.waitpid(pid, 0)
    descriptors = socket.recv_fds(runtime, 1, 1)[1]
    register.trace(descriptors[0], sys.argv[1])


if __name__ == "__main__":
    main()
