"""Writes ETL files: buffers of several processors, a head, and events with extended data.

  buffer = a head of 72 bytes, records, each padded to 8 bytes, 0xff up to the buffer's size
  record = an event's header of 80 bytes, items of extended data, values
"""
import struct

BUFFER_HEAD_BYTES = 72
START_FILETIME = 132000000000000000  # of 2019
FREQUENCY = 10**7
START_TICKS = 5 * 10**9
RELATED_ID, SCHEMA, TRAITS = 1, 11, 12


def padded(data):
    return data + bytes(-len(data) % 8)


def head_record(buffer_bytes, pointer_bytes=8, mode=0, lost=0, clock=1):
    """The kernel's record of group 0 and type 0, which describes the file."""
    names = "session\0".encode("utf-16-le") + "file.etl\0".encode("utf-16-le")
    body = struct.pack("<IBBBBIIQIIIIIIII", buffer_bytes, 10, 0, 1, 5, 19041, 4, START_FILETIME, 156250, 0, mode, 3, 1, pointer_bytes,
                       lost, 3000)
    body += bytes(2 * pointer_bytes + 172 + 4)
    body += struct.pack("<QQQII", START_FILETIME - 10**10, FREQUENCY, START_FILETIME, clock, 0) + names
    return padded(struct.pack("<HBBHBBIIQQ", 2, 2 if pointer_bytes == 8 else 1, 0xc0, 32 + len(body), 0, 0, 4, 4, START_TICKS, 0) + body)


def event_record(time_ns, descriptor, schema, data, activity=b"", related=b"", traits=b"", provider=bytes(range(16)), pid=100, tid=101,
                 pointer_bytes=8):
    """`schema`: the metadata; None: an event of a manifest."""
    items = [(RELATED_ID, related)] if related else []
    if schema is not None:
        items += [(SCHEMA, schema), (TRAITS, traits)]
    extended = b"".join(padded(struct.pack("<HHHH", 0, kind, number < len(items), len(item)) + item)
                        for number, (kind, item) in enumerate(items, 1))
    flags = (0x40 if pointer_bytes == 8 else 0x20) | bool(items)
    size = 80 + len(extended) + len(data)
    header = struct.pack("<HBBHHIIQ", size, 0x13, 0xc0, flags, 0, tid, pid, START_TICKS + time_ns * FREQUENCY // 10**9)
    return padded(header + provider + descriptor + bytes(8) + (activity or bytes(16)) + extended + data)


def kernel_record(time_ns, group, kind, data):
    return padded(struct.pack("<HBBHBBQ", 2, 17, 0xc0, 16 + len(data), kind, group, START_TICKS + time_ns * FREQUENCY // 10**9) + data)


def buffer(records, size, cpu, flags=0):
    body = b"".join(records)
    end = BUFFER_HEAD_BYTES + len(body)
    head = struct.pack("<IIIiqqQHHIIHHqq", size, end, end, 0, 0, 0, 0, cpu, 3, 0, end, flags | 0x20, 0, 0, 0)
    return (head + body).ljust(size, b"\xff")


def etl(records_of_cpus, buffer_bytes=1 << 17, **options):
    """A file: `records_of_cpus` is a list of records for each processor. Buffers of different processors take turns."""
    buffers = [buffer([head_record(buffer_bytes, **options)], buffer_bytes, 0)]
    queues = []
    for cpu, records in enumerate(records_of_cpus):
        queue, some, used = [], [], 0
        for record in records:
            if some and used + len(record) > buffer_bytes - BUFFER_HEAD_BYTES:
                queue.append(buffer(some, buffer_bytes, cpu))
                some, used = [], 0
            some.append(record)
            used += len(record)
        queues.append(queue + ([buffer(some, buffer_bytes, cpu)] if some else []))
    while any(queues):
        for queue in reversed(queues):
            if queue:
                buffers.append(queue.pop(0))
    return b"".join(buffers)
