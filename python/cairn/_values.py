# SPDX-License-Identifier: MIT
"""Values of fields as Python objects, by the encodings and formats of EventHeader (cairn/eventheader_abi.h)."""
import ipaddress
import struct
import sys
import uuid

_INTEGERS = {1: "B", 2: "H", 4: "I", 8: "Q"}
_FIXED = range(2, 7)  # VALUE8 to VALUE128
_UTF16, _UTF32 = (8, 11), (9, 12)
_BINARY = 13

(_UNSIGNED, _SIGNED, _HEX, _ERRNO, _PID, _TIME, _BOOLEAN, _FLOAT, _HEX_BYTES, _STRING8, _STRING_UTF, _UTF_BOM, _XML, _JSON, _UUID,
 _PORT, _ADDRESS, _ADDRESS_OBSOLETE) = range(1, 19)
_MARKED = (_UTF_BOM, _XML, _JSON)

# The sizes of the values that have a format; others are shown as if there were none.
_SIZES = {_UNSIGNED: (1, 2, 4, 8), _SIGNED: (1, 2, 4, 8), _HEX: (1, 2, 4, 8), _ERRNO: (4,), _PID: (4,), _TIME: (4, 8),
          _BOOLEAN: (1, 2, 4), _FLOAT: (4, 8), _UUID: (16,), _PORT: (2,), _ADDRESS: (4, 16), _ADDRESS_OBSOLETE: (4, 16)}
_MARKS = ((b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"),
          (b"\xef\xbb\xbf", "utf-8"))


def _text(data, codec, is_marked):
    if is_marked:
        for mark, of_mark in _MARKS:
            if data.startswith(mark):
                return data[len(mark):].decode(of_mark, "replace")
    return data.decode(codec, "replace")


def _number(form, data, order):
    size = len(data)
    if form in (_SIGNED, _ERRNO, _PID, _TIME):
        return struct.unpack(order + _INTEGERS[size].lower(), data)[0]
    if form == _FLOAT:
        return struct.unpack(order + ("f" if size == 4 else "d"), data)[0]
    if form == _BOOLEAN:
        number = int.from_bytes(data, "little" if order == "<" else "big")
        return bool(number) if number < 2 else number - (number >> 31 << 32)  # others are signed, as decode prints them
    if form == _PORT:
        return int.from_bytes(data, "big")
    if form == _UUID:
        return uuid.UUID(bytes=data)
    if form in (_ADDRESS, _ADDRESS_OBSOLETE):
        return ipaddress.ip_address(data)
    return struct.unpack(order + _INTEGERS[size], data)[0]


def value_of(encoding, form, data, swap):
    """The value: an int, float, bool, str, bytes, UUID or IP address; None for counted bytes of length 0 that have a format."""
    is_little = (sys.byteorder == "little") != swap
    order = "<" if is_little else ">"
    if form == _HEX_BYTES:
        return data
    if encoding in _FIXED:
        if form == _STRING8 and len(data) == 1:
            return data.decode("latin-1")
        if form == _STRING_UTF and len(data) in (2, 4):
            character = int.from_bytes(data, "little" if is_little else "big")
            return chr(character) if character < 0x110000 and not 0xd800 <= character < 0xe000 else "\ufffd"
        if len(data) in _SIZES.get(form, ()):
            return _number(form, data, order)
        return data if len(data) == 16 else _number(_UNSIGNED, data, order)
    if encoding in _UTF16:
        return _text(data, "utf-16-le" if is_little else "utf-16-be", form in _MARKED)
    if encoding in _UTF32:
        return _text(data, "utf-32-le" if is_little else "utf-32-be", form in _MARKED)
    if form in _SIZES and encoding in (10, _BINARY):
        if not data:
            return None
        if len(data) in _SIZES[form]:
            return _number(form, data, order)
    if encoding == _BINARY and form not in (_STRING8, _STRING_UTF, *_MARKED):
        return data
    return data.decode("latin-1") if form == _STRING8 else _text(data, "utf-8", form in _MARKED)
