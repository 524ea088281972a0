#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a trace file by docs/trace-format.md alone: independent of the reader in C.

usage: trace_format.py FILE      prints for each event: time, cpu, pid, tid, name, payload in hexadecimal
"""
import struct
import sys

TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
    TABLE.append(n)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


class Damaged(Exception):
    pass


class TraceFile:
    """All of a file: `blocks` [(type, offset, contents)], and the tables that the blocks fill."""

    def __init__(self, data):
        if data[:8] != b"\x89CAIRN\r\n":
            raise Damaged("no magic")
        self.order = "<" if data[8:12] == b"\x04\x03\x02\x01" else ">"
        if self.unpack("I", data, 8) != (0x01020304,) or self.unpack("HH", data, 12) != (1, 0xFFFE):
            raise Damaged("byte order or version")
        self.data = data
        self.host, self.clocks, self.processes, self.names = [], [], {}, []
        self.descriptors, self.ids, self.losses, self.rounds, self.index = {}, {}, {}, [], []
        self.pieces, self.end = [], None
        self.attrs, self.perf_pieces, self.strings = {}, [], {}
        self.blocks = list(self.read_blocks())
        for kind, offset, contents in self.blocks:
            self.apply(kind, offset, contents)

    def unpack(self, form, data, at):
        return struct.unpack_from(self.order + form, data, at)

    def read_blocks(self):
        at, number = 16, 0
        while at < len(self.data):
            header = self.data[at:at + 32]
            if len(header) < 32 or header[:4] != b"CBLK":
                raise Damaged(f"no block at {at}")
            kind, flags, stored, plain, crc, sequence, zero, header_crc = self.unpack("HHIIIIII", header, 4)
            contents = self.data[at + 32:at + 32 + stored]
            if crc32c(header[:28]) != header_crc or crc32c(contents) != crc or sequence != number or zero:
                raise Damaged(f"block at {at}")
            if flags & 1:
                contents = unzstd(contents, plain)
            if len(contents) != plain:
                raise Damaged(f"size of the block at {at}")
            if any(self.data[at + 32 + stored:at + 32 + stored + -stored % 8]):
                raise Damaged(f"padding of the block at {at}")
            yield kind, at, contents
            at += 32 + stored + -stored % 8
            number += 1
        if at != len(self.data):
            raise Damaged("cut short")

    def entries(self, contents):
        at = 0
        while at < len(contents):
            size, = self.unpack("I", contents, at)
            yield contents[at:at + size]
            at += size

    def apply(self, kind, offset, contents):
        if kind == 1:
            texts = [t.decode() for t in contents.split(b"\0")[:-1]]
            self.host += zip(texts[::2], texts[1::2])
        elif kind == 2:
            self.clocks += [self.unpack("IIiQQQQQ", e, 4) for e in self.entries(contents)]
        elif kind == 3:
            for e in self.entries(contents):
                number, pid, _ = self.unpack("III", e, 4)
                self.processes[number] = pid
        elif kind == 4:
            for e in self.entries(contents):
                self.names.append((*self.unpack("IIQ", e, 4), e[20:].rstrip(b"\0").decode(errors="replace")))
        elif kind == 5:
            for e in self.entries(contents):
                self.describe(e)
        elif kind == 6:
            for e in self.entries(contents):
                process, own, number = self.unpack("III", e, 4)
                self.ids[process, own] = number
        elif kind == 7:
            self.pieces += self.entries(contents)
        elif kind == 8:
            for e in self.entries(contents):
                loss, cause, count = self.unpack("IIQ", e, 4)
                self.losses[loss, cause] = count
        elif kind == 9:
            self.rounds += self.unpack("Q", contents, 0)
        elif kind == 10:
            for e in self.entries(contents):
                self.add_attr(e)
        elif kind == 11:
            self.perf_pieces += self.entries(contents)
        elif kind == 12:
            self.read_index(contents)
        elif kind == 13:
            self.end = (offset, *self.unpack("QQ", contents, 0))
        elif kind == 14:
            for e in self.entries(contents):
                domain, length = self.unpack("II", e, 4)
                for line in e[12:12 + length].decode().splitlines():
                    address, text = line.split(" : ", 1)
                    self.strings[domain, int(address, 16)] = text

    def describe(self, e):
        number, kind, flags, _ = self.unpack("IBBH", e, 4)
        if kind == 1:
            ident, *lengths = self.unpack("IIII", e, 12)
            system, name, form = texts(e, 28, lengths)
            self.descriptors[number] = {"flags": flags, "id": ident, "head": None,
                                        "name": f"{system.decode()}:{name.decode()}", "format": form}
        elif kind == 2:
            of, head, *lengths, _ = self.unpack("I8sIIII", e, 12)
            metadata, _, _ = texts(e, 40, lengths)
            self.descriptors[number] = {**self.descriptors[of], "flags": flags, "head": head, "metadata": metadata}

    def add_attr(self, e):
        number, _, size, count = self.unpack("IIII", e, 4)
        sample_type, = self.unpack("Q", e, 20 + 24)
        for ident in self.unpack(f"{count}Q", e, 20 + size):
            self.attrs[ident] = (number, sample_type)

    def perf_samples(self, piece):
        """(time, cpu, pid, tid, descriptor's number, payload) of each sample of a piece of the kernel's records."""
        size, _, _, samples = self.unpack("IIII", piece, 0)
        at, found = 32, 0
        while at < size:
            kind, _, length = self.unpack("IHH", piece, at)
            if kind == 9:
                found += 1
                number, sample_type = self.attrs[self.unpack("Q", piece, at + 8)[0]]
                assert sample_type == 0x10486  # IDENTIFIER, TID, TIME, CPU, RAW: other fields are not read here
                pid, tid, time, cpu, _, raw = self.unpack("IIQIII", piece, at + 16)
                yield time, cpu, pid, tid, number, piece[at + 44:at + 44 + raw]
            at += length
        if found != samples:
            raise Damaged(f"{found} samples in a piece of {samples}")

    def read_index(self, contents):
        at = 0
        while at < len(contents):
            entry = self.unpack("QIIIIQQII", contents, at)
            at += 48
            counts = [self.unpack("IIQ", contents, at + 16 * n) for n in range(entry[-1])]
            at += 16 * len(counts)
            self.index.append((*entry, counts))

    def time(self, domain, counter):
        pairs = sorted({(c[3], c[4], c[7]) for c in self.clocks if c[0] == domain and c[1] == 1})
        if not pairs:
            return counter
        first = max([n for n, p in enumerate(pairs) if p[0] <= counter], default=0)
        if pairs[first][2]:
            return pairs[first][1] + ((counter - pairs[first][0]) * pairs[first][2] >> 32)
        if len(pairs) == 1:
            return pairs[0][1]
        first = min(first, len(pairs) - 2)
        (c0, t0, _), (c1, t1, _) = pairs[first:first + 2]
        return t0 + (counter - c0) * (t1 - t0) // (c1 - c0)

    def records(self, piece):
        """(time, cpu, descriptor's number, payload) of each event."""
        _, size, process, _, cpu, domain, base, _, events, flags = self.unpack("IIIIIIQQII", piece, 0)
        at, end, found = 48, 48 + size, 0
        while at < end:
            ident, length, time = self.unpack("HHI", piece, at)
            head = 8
            if ident == 0xFFFF:
                ident, length = self.unpack("II", piece, at + 8)
                head = 16
            payload = piece[at + head:at + length]
            if ident == 0:
                kind, = self.unpack("I", payload, 0)
                if kind == 1:
                    cpu, = self.unpack("I", payload, 4)
                elif kind in (2, 4):
                    base, = self.unpack("Q", payload, 4)
            else:
                found += 1
                yield base + time if flags & 2 else self.time(domain, base + time), cpu, ident if flags & 1 else self.ids[process, ident], payload
            at += length + -length % 4
        if found != events:
            raise Damaged(f"{found} events in a piece of {events}")

    def events(self):
        """(time, cpu, pid, tid, name, the tracepoint's bytes) in the order of time."""
        found = []
        for piece in self.pieces:
            process, tid = self.unpack("II", piece, 8)
            for time, cpu, number, payload in self.records(piece):
                descriptor = self.descriptors[number]
                found.append((time, cpu, self.processes.get(process, tid), tid, descriptor["name"],
                              self.expand(descriptor, tid, payload)))
        for piece in self.perf_pieces:
            for time, cpu, pid, tid, number, payload in self.perf_samples(piece):
                descriptor = self.descriptors[number]
                found.append((time, cpu, pid, tid, descriptor["name"], self.expand(descriptor, tid, payload)))
        return sorted(found, key=lambda event: event[0])

    def expand(self, descriptor, tid, payload):
        flags = descriptor["flags"]
        common = struct.pack(self.order + "HBBI", descriptor["id"] & 0xFFFF, 0, 0, tid)
        if flags & 1:
            common, payload = payload[:8], payload[8:]
        if descriptor["head"] is None:
            return common + payload
        order = "<" if descriptor["head"][0] & 2 else ">"
        activity = payload[:16 * bool(flags & 2) + 16 * bool(flags & 4)]
        extensions = struct.pack(order + "HH", len(activity), 0x8002) + activity if activity else b""
        extensions += struct.pack(order + "HH", len(descriptor["metadata"]), 1) + descriptor["metadata"]
        return common + descriptor["head"] + extensions + payload[len(activity):]

    def check_index(self):
        """The index says what the blocks are, and the end where it is."""
        before = [b for b in self.blocks if b[0] not in (12, 13)]
        index_at = next(b[1] for b in self.blocks if b[0] in (12, 13))
        assert self.end == (self.blocks[-1][1], index_at, len(before)), self.end
        assert self.end[0] + 48 == len(self.data)
        assert [(e[0], e[1], e[4]) for e in self.index] == [(b[1], b[0], len(b[2])) for b in before]
        for entry, block in zip(self.index, before):
            if entry[1] == 11:
                samples = [s for p in self.entries(block[2]) for s in self.perf_samples(p)]
                times = [s[0] for s in samples] or [0]
                counted = {}
                for s in samples:
                    counted[0, s[4]] = counted.get((0, s[4]), 0) + 1
                assert entry[5:8] == (min(times), max(times), len(samples)), entry
                assert counted == {(p, d): n for p, d, n in entry[9]}, counted
            if entry[1] != 7:
                continue
            events = [(r, self.unpack("I", p, 8)[0]) for p in self.entries(block[2]) for r in self.records(p)]
            times = [r[0] for r, _ in events]
            counted = {}
            for record, process in events:
                counted[process, record[2]] = counted.get((process, record[2]), 0) + 1
            assert entry[5:8] == (min(times), max(times), len(events)), (entry, min(times), max(times), len(events))
            for process, descriptor, number in entry[9]:
                counted[process, descriptor] -= number
            assert not any(counted.values()), counted


def texts(data, at, lengths):
    found = []
    for length in lengths:
        found.append(data[at:at + length])
        at += length
    return found


def unzstd(data, size):
    """Decompresses by the program zstd: Python's library has no such function."""
    import subprocess
    plain = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout
    if len(plain) != size:
        raise Damaged("size after decompression")
    return plain


def main(path):
    with open(path, "rb") as file:
        trace = TraceFile(file.read())
    trace.check_index()
    for time, cpu, pid, tid, name, raw in trace.events():
        print(time, cpu, pid, tid, name, raw.hex())


if __name__ == "__main__":
    main(sys.argv[1])
