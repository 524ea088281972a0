"""A second implementation of EventHeader's wire format, independent of the C headers.

  event     = header, [activity extension], metadata extension, data
  header    = u8 flags, u8 version, u16 id, u16 tag, u8 opcode, u8 level
  extension = u16 size, u16 kind (0x8000: another one follows), bytes
  metadata  = event name, NUL, then for each field its name, NUL, u8 encoding (0x80: a format follows; 0x40: an array),
              [u8 format (0x80: a tag follows)], [u16 tag], [u16 length of an array of constant length]
"""
import os
import struct
import sys

ENCODINGS = {name: number for number, name in enumerate([
    "invalid", "struct", "value8", "value16", "value32", "value64", "value128", "zstring8", "zstring16", "zstring32",
    "counted8", "counted16", "counted32", "binary"])}
FORMATS = {name: number for number, name in enumerate([
    "default", "unsigned", "signed", "hex", "errno", "pid", "time", "boolean", "float", "hex_bytes", "string8", "utf",
    "utf_bom", "xml", "json", "uuid", "port", "ip"])}
ARRAY = 0x40
FIXED = 0x20
BYTE_ORDER = os.environ.get("GOLDEN_BYTE_ORDER", sys.byteorder) # of the machine that writes the events
ORDER = "<" if BYTE_ORDER == "little" else ">"
POINTER_BYTES = struct.calcsize("P")
FLAGS = (1 if POINTER_BYTES == 8 else 0) | (2 if BYTE_ORDER == "little" else 0) | 4


def number(size, value):
    return (value & (1 << 8 * size) - 1).to_bytes(size, BYTE_ORDER)


def real(code, value):
    return struct.pack(ORDER + code, value)


def units(size, values):
    """Adjacent numbers."""
    return b"".join(number(size, value) for value in values)


def counted(size, data):
    """A u16 count of units, and the units."""
    return number(2, len(data) // size) + data


class Field:
    """`fixed`: the length of an array of constant length."""
    def __init__(self, name, encoding, format_name="default", data=b"", tag=None, array=False, fixed=0):
        self.name, self.data, self.tag, self.fixed = name, data, tag, fixed
        self.kind, self.array = encoding, array
        self.encoding = ENCODINGS[encoding] | (ARRAY if array else 0) | (FIXED if fixed else 0)
        self.format = FORMATS[format_name]

    def metadata(self):
        tagged = self.tag is not None
        named = self.name.encode() + b"\0"
        length = number(2, self.fixed) if self.fixed else b""
        if not self.format and not tagged:
            return named + bytes([self.encoding]) + length
        if not tagged:
            return named + bytes([self.encoding | 0x80, self.format]) + length
        return named + bytes([self.encoding | 0x80, self.format | 0x80]) + number(2, self.tag) + length


class Struct(Field):
    """Its members follow it as fields; in place of a format it has their number."""
    def __init__(self, name, members, tag=None, count=None, array=False, data=b"", fixed=0):
        super().__init__(name, "struct", tag=tag, array=array, fixed=fixed)
        self.format = len(members) if count is None else count
        self.members = members
        self.data = data + b"".join(member.data for member in members)

    def metadata(self):
        return super().metadata() + b"".join(member.metadata() for member in self.members)


class StructArray(Struct):
    """Elements are lists of fields that differ in their data only; `none` has the fields of an element if there are none."""
    def __init__(self, name, elements, tag=None, none=None):
        super().__init__(name, elements[0] if elements else none, tag=tag, array=True)
        self.elements = elements
        self.data = number(2, len(elements)) + b"".join(field.data for element in elements for field in element)


class Data(Field):
    """Bytes of fields that are defined elsewhere."""
    def __init__(self, data):
        super().__init__("", "invalid", data=data)

    def metadata(self):
        return b""


class Payload(bytes):
    """An event's bytes, and the parts from which they were made."""
    parts = None


def event(name, fields, level=5, opcode=0, tag=0, identity=(0, 0), activity=b"", related=b""):
    metadata = name.encode() + b"\0" + b"".join(field.metadata() for field in fields)
    header = (bytes([FLAGS, identity[1]]) + number(2, identity[0]) + number(2, tag) + bytes([opcode, level]))
    ids = activity + related
    extensions = number(2, len(ids)) + number(2, 0x8002) + ids if ids else b""
    extensions += number(2, len(metadata)) + number(2, 1) + metadata
    payload = Payload(header + extensions + b"".join(field.data for field in fields))
    payload.parts = (name, fields, opcode, tag, identity, activity, related)
    return payload
