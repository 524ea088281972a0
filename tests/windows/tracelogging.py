"""TraceLogging's format of events, from the parts of the golden events: an encoder of the tests' own, and a decoder.

  metadata = u16 size, tag, event name, NUL, then for each field its name, NUL, u8 in-type (0x80: an out-type follows; 0x40, 0x20: an
             array), [u8 out-type (0x80: a tag follows)], [tag], [u16 length of an array of constant length]
  tag      = bits in groups of seven, the highest first, 0x80: another group follows; without those of zeros at the end
"""
import re
import struct

IN = {"value8": 4, "value16": 6, "value32": 8, "value64": 10, "value128": 15, "zstring8": 2, "zstring16": 1, "zstring32": 1,
      "counted8": 23, "counted16": 22, "counted32": 22, "binary": 14, "struct": 24}
SIZES = {"value8": 1, "value16": 2, "value32": 4, "value64": 8, "value128": 16}
# The in-type and out-type of words whose encoding and format of EventHeader do not determine them.
WORDS = {"tid": (8, 6), "hresult": (7, 15), "win_error": (8, 13), "win_ntstatus": (20, 14), "codepointer": (21, 37),
         "socketaddress": (14, 10), "binaryc": (25, 0), "socketaddressc": (25, 10), "time32": (17, 0), "time64": (17, 0), "systemtime": (17, 0)}
COUNTED = ("binaryc", "socketaddressc", "ipv6c")  # COUNTEDBINARY, whatever the format is
NANOSECONDS = 999999999  # of before_1970, which EventHeader does not have
TEXTS = ("default", "string8", "utf", "utf_bom", "xml", "json")


def types(kind, shown):
    """In-type and out-type of an encoding and a format."""
    if kind in SIZES and kind != "value128":
        size = SIZES[kind]
        in_type = {1: 4, 2: 6, 4: 8, 8: 10}[size]
        if shown == "signed" or (shown in ("errno", "time") and size >= 4 and not (shown == "errno" and size == 8)):
            return in_type - 1, 0
        if shown == "hex":
            return ({4: 20, 8: 21}[size], 0) if size >= 4 else (in_type, 4)
        if shown == "float" and size >= 4:
            return {4: 11, 8: 12}[size], 0
        if shown == "boolean" and size == 4:
            return 13, 0
        out = {("boolean", 1): 3, ("string8", 1): 2, ("utf", 1): 2, ("utf", 2): 2, ("port", 2): 7, ("pid", 4): 5, ("ip", 4): 8}
        return in_type, out.get((shown, size), 0)
    if kind == "value128":
        return 15, 0
    if kind == "binary" or (kind == "counted8" and shown not in TEXTS):
        return 14, 9 if shown == "ip" else 0
    in_type = IN[kind]
    if shown in ("xml", "json"):
        return in_type, {"xml": 11, "json": 12}[shown]
    return in_type, 35 if kind in ("zstring8", "counted8") and shown in ("default", "utf", "utf_bom") else 0


def swapped(uuid):
    """A UUID in Windows' byte order."""
    return uuid[3::-1] + uuid[5:3:-1] + uuid[7:5:-1] + uuid[8:]


def filetime(seconds, nanoseconds=0):
    return struct.pack("<Q", max(0, (seconds + 11644473600) * 10**7 + nanoseconds // 100))


def utf16(data):
    return b"".join(chr(unit).encode("utf-16-le") for (unit,) in struct.iter_unpack("<I", data))


def tag_of(tag):
    groups = bytes(tag >> shift & 0x7f for shift in (21, 14, 7, 0)).rstrip(b"\0") or b"\0"
    return bytes(group | 0x80 for group in groups[:-1]) + groups[-1:]


def data_of(field, word):
    """The value as TraceLogging has it."""
    data, kind = field.data, field.kind
    if word.endswith("_nullable"):
        return nullable(field, word)
    if word in ("ip_address",):
        value = bytes(10) + b"\xff\xff" + data[2:] if len(data) == 6 else data[2:]
        return struct.pack("<H", len(value)) + value
    if WORDS.get(word, (0,))[0] == 17:
        return filetime(int.from_bytes(data, "little", signed=True), NANOSECONDS if word == "systemtime" else 0)
    if kind == "value128":
        if word.startswith("ipv6"):
            return struct.pack("<H", 16) + data
        count = data[:2] if field.array else b""
        return count + b"".join(swapped(data[i:i + 16]) for i in range(len(count), len(data), 16))
    if kind in ("counted16", "counted32"):
        text = data[2:] if kind == "counted16" else utf16(data[2:])
        return struct.pack("<H", len(text)) + text
    if kind == "zstring32":
        return utf16(data[:-4]) + b"\0\0"
    return data


def nullable(field, word):
    value = field.data[2:]
    if word == "ipv6_nullable":
        return field.data
    if not value:
        return b"\0\0"
    if word.startswith("time"):
        value = filetime(int.from_bytes(value, "little", signed=True))
    if word == "guid_nullable":
        value = swapped(value)
    return b"\1\0" + value


NULLABLE = {"size": "value64", "8": "value8", "16": "value16", "32": "value32", "64": "value64"}
NULLABLE_WORDS = {"f32": "value32", "f64": "value64", "bool8": "value8", "bool32": "value32", "port": "value16", "port_host": "value16",
                  "errno": "value32", "hresult": "value32", "pid": "value32", "tid": "value32", "time32": "value32", "time64": "value64",
                  "guid": "value128", "ipv4": "value32", "ipv6": "value128"}


def nullable_kind(word):
    word = word.removesuffix("_nullable")
    return NULLABLE_WORDS.get(word) or NULLABLE[word.removesuffix("_hex")[1:]]


def field_types(field, word, is_default):
    """In-type with flags, and out-type: of the word if the program gives no format."""
    base = word.removesuffix("_nullable").removesuffix("_slice").removesuffix("_array").removesuffix("_n")
    flags = (0x40 if field.array else 0) | (0x20 if field.fixed else 0)
    kind = field.kind
    shown = FORMAT_NAMES[field.format]
    if word.endswith("_nullable"):
        kind = nullable_kind(word)
        if word != "ipv6_nullable":
            flags |= 0x40
    if base.startswith(("time", "systemtime")):  # converted, whatever the program's format
        in_type, out = 17, 0
    elif is_default and base in WORDS:
        in_type, out = WORDS[base]
    elif base in COUNTED + ("ipv6",):
        in_type, out = 25 if base in COUNTED else 14, 9 if shown == "ip" else 0
    else:
        in_type, out = types(kind, shown)
    return in_type | flags, out


FORMAT_NAMES = ["default", "unsigned", "signed", "hex", "errno", "pid", "time", "boolean", "float", "hex_bytes", "string8", "utf",
                "utf_bom", "xml", "json", "uuid", "port", "ip"]


def metadata_of(field, words, is_row):
    """`is_row`: of the events that have a word with each kind of options."""
    named = field.name.encode() + b"\0"
    word = take(words, field)
    length = struct.pack("<H", field.fixed) if field.fixed else b""
    members = getattr(field, "members", None)
    tag = b"" if field.tag is None else tag_of(field.tag)
    if not named.strip(b"\0"):  # data alone
        return b""
    if members is not None:
        in_type, out, is_long = IN["struct"] | (0x40 if field.array else 0) | (0x20 if field.fixed else 0), field.format, True
    else:
        has_format = is_row and field.name in ("Formatted", "Both", "Turned")
        in_type, out = field_types(field, word, not has_format)
        # An out-type is written if there is one, or a tag or the length of an array follows.
        is_long = bool(out or field.fixed or tag)
    after = bytes([in_type | 0x80, out | (0x80 if tag else 0)]) if is_long else bytes([in_type])
    return named + after + tag + length + b"".join(metadata_of(member, words, is_row) for member in members or [])


def event_of(event):
    """(descriptor, activity, related, metadata, data) of a golden event."""
    name, fields, opcode, tag, (identity, version), activity, related = event.payload.parts
    level, keyword = event.tracepoint.removeprefix("Golden_L").split("K")
    descriptor = struct.pack("<HBBBBHQ", identity, version, 11, int(level, 16), opcode, 0, int(keyword, 16))
    given = re.findall(r'(\w+)\("(\w+)"', event.text)  # in the order of the fields
    metadata = (tag_of(tag) if tag else b"\0") + name.encode() + b"\0"
    is_row = event.name in (word for word, _ in given)
    words = list(given)
    metadata += b"".join(metadata_of(field, words, is_row) for field in fields)
    words = list(given)
    data = b"".join(data_of_all(field, words) for field in fields)
    return (descriptor, swapped(activity) if activity else b"", swapped(related) if related else b"",
            struct.pack("<H", len(metadata) + 2) + metadata, data)


def take(words, field):
    """The word that the program uses for a field."""
    for at, (word, name) in enumerate(words):
        if name == field.name:
            return words.pop(at)[0]
    return ""


def data_of_all(field, words):
    members = getattr(field, "members", None)
    word = take(words, field)
    if members is None:
        return data_of(field, word)
    own = field.data[:len(field.data) - sum(len(member.data) for member in members)]
    return own + b"".join(data_of_all(member, words) for member in members)


# ---- events of the builder, which has no words: types and conversions follow from encoding and format ----

def built_types(field):
    kind, shown = field.kind, FORMAT_NAMES[field.format]
    if shown == "time" and kind in ("value32", "value64"):
        return 17, 0
    if kind == "value128":
        return (15, 0) if shown == "uuid" else (14, 9 if shown == "ip" else 0)
    if kind == "counted8" and shown == "ip":
        return 14, 9
    return types(kind, shown)


def built_metadata(field):
    named = field.name.encode() + b"\0"
    members = getattr(field, "members", None)
    flags = (0x40 if field.array else 0) | (0x20 if field.fixed else 0)
    tag = tag_of(field.tag) if field.tag else b""
    if not field.name:
        return b""
    in_type, out = (IN["struct"], field.format) if members is not None else built_types(field)
    after = bytes([in_type | flags | 0x80, out | (0x80 if tag else 0)]) if out or tag or members is not None else bytes([in_type | flags])
    length = struct.pack("<H", field.fixed) if field.fixed else b""
    return named + after + tag + length + b"".join(built_metadata(member) for member in members or [])


def built_value(field, data):
    """One value."""
    kind, shown = field.kind, FORMAT_NAMES[field.format]
    if shown == "time" and kind in ("value32", "value64"):
        return filetime(int.from_bytes(data, "little", signed=True))
    if kind == "value128":
        return swapped(data) if shown == "uuid" else struct.pack("<H", 16) + data
    if kind in ("counted16", "counted32"):
        text = data[2:] if kind == "counted16" else utf16(data[2:])
        return struct.pack("<H", len(text)) + text
    if kind == "zstring32":
        return utf16(data[:-4]) + b"\0\0"
    if kind in ("binary", "counted8") and shown == "ip" and len(data) == 6:
        return b"\x10\0" + bytes(10) + b"\xff\xff" + data[2:]
    return data


def built_data(field):
    elements = getattr(field, "elements", None)
    if elements is not None:
        return struct.pack("<H", len(elements)) + b"".join(built_data(member) for element in elements for member in element)
    members = getattr(field, "members", None)
    if members is not None:
        return b"".join(built_data(member) for member in members)
    items = getattr(field, "items", None)
    if items is not None:
        return struct.pack("<H", len(items)) + b"".join(built_value(field, item.data) for item in items)
    if not field.array and not field.fixed:
        return built_value(field, field.data)
    head = field.data[:2] if field.array else b""
    size = SIZES[field.kind]
    return head + b"".join(built_value(field, field.data[i:i + size]) for i in range(len(head), len(field.data), size))


def built_event_of(event):
    """As event_of."""
    name, fields, opcode, tag, (identity, version), activity, related = event.payload.parts
    level, keyword = event.tracepoint.removeprefix("Golden_L").split("K")
    descriptor = struct.pack("<HBBBBHQ", identity, version, 11, int(level, 16), opcode, 0, int(keyword, 16))
    metadata = (tag_of(tag) if tag else b"\0") + name.encode() + b"\0" + b"".join(built_metadata(field) for field in fields)
    return (descriptor, swapped(activity) if activity else b"", swapped(related) if related else b"",
            struct.pack("<H", len(metadata) + 2) + metadata, b"".join(built_data(field) for field in fields))
