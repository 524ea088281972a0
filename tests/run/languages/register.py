# SPDX-License-Identifier: MIT
"""Registers an event, and writes three of it."""
import ctypes
import fcntl
import os
import struct
import sys

REGISTER = 0xC0082A00


def trace(data, name):
    word = ctypes.c_uint32(0)
    command = ctypes.create_string_buffer(f"{name} u32 number".encode())
    request = bytearray(struct.pack("=IBBHQQI", 28, 0, 4, 0, ctypes.addressof(word), ctypes.addressof(command), 0))
    fcntl.ioctl(data, REGISTER, request)
    index = struct.unpack_from("=I", request, 24)[0]
    for number in range(3):
        os.write(data, struct.pack("=II", index, number))
    print("enabled", word.value)


if __name__ == "__main__":
    trace(os.open("/sys/kernel/tracing/user_events_data", os.O_RDWR), sys.argv[1])
