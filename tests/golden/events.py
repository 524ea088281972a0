"""The golden events: for each, the C text that writes it and the expected bytes."""
from encoder import BYTE_ORDER, Data, Field, POINTER_BYTES, Struct, StructArray, counted, event, number, real, units

# Declarations for the C text below.
DECLARATIONS = r"""
#define COUNT(array) (sizeof(array) / sizeof(*(array)))
static const uint8_t u8s[] = {0, 0x7f, 0xfe};
static const uint16_t u16s[] = {1, 0x1234, 0xfffe};
static const uint32_t u32s[] = {1, 0x12345678, 0xfffffffe};
static const uint64_t u64s[] = {1, 0x123456789abcdef0, 0xfffffffffffffffe};
static const size_t usizes[] = {1, 0x12345678, SIZE_MAX - 1};
static const int8_t i8s[] = {0, 0x7f, -2};
static const int16_t i16s[] = {1, 0x1234, -2};
static const int32_t i32s[] = {1, 0x12345678, -2};
static const int64_t i64s[] = {1, 0x123456789abcdef0, -2};
static const ssize_t isizes[] = {1, 0x12345678, -2};
static const float f32s[] = {0.5F, -1.25F};
static const double f64s[] = {0.5, -1.25};
static const bool bool8s[] = {true, false, true};
static const char chars[] = {'a', '\xe9'};
static const pid_t pids[] = {1, 4194304};
static const uint8_t bytes16[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t bytes32[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
static const struct timespec before_1970 = {-2, 999999999};
static const char *const no_char8 = NULL;
static const char16_t *const no_char16 = NULL;
static const char32_t *const no_char32 = NULL;
static const struct cairn_guid activity = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
static const struct cairn_guid related = {{16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}};
static const struct cairn_guid *const no_id = NULL;
static size_t large = 65536; /* constants are refused by the compiler */
static size_t huge = SIZE_MAX;
static char long8[70000];     /* 65535 times x, a NUL */
static char16_t long16[70000];

void golden_prepare(void)
{
    for (int i = 0; i < 65535; i++) {
        long8[i] = 'x';
        long16[i] = u'x';
    }
}
"""

BYTES16, BYTES32 = bytes(range(16)), bytes(range(32))
PAYLOAD_MAX = 65528 - 52  # of the local engine


class Row:
    """A row of the vocabulary: a word, its arguments in C, and the expected encoding and data."""
    def __init__(self, word, given, encoding, format_name, data, array=False, fixed=0):
        self.word, self.given, self.encoding, self.format = word, given, encoding, format_name
        self.data, self.array, self.fixed = data, array, fixed

    def text(self, name, options=""):
        return f'{self.word}("{name}", {self.given}{options})'

    def field(self, name, tag=None, format_name=None):
        return Field(name, self.encoding, format_name or self.format, self.data, tag, self.array, self.fixed)


class Event:
    """An event in C, its tracepoint and its bytes; these are None if it is too large."""
    def __init__(self, name, text, payload, tracepoint="Golden_L5K1"):
        self.name, self.payload, self.tracepoint = name, payload, tracepoint
        self.text = f'CAIRN_WRITE_EVENT(golden, "{name}"{", " if text else ""}{text})'


def integers():
    sizes = {"8": 1, "16": 2, "32": 4, "64": 8, "size": POINTER_BYTES}
    for sign, format_name in (("u", "default"), ("i", "signed")):
        for bits, size in sizes.items():
            word = sign + bits
            value = 0xf7 << (8 * size - 8) if sign == "u" else -2
            many = units(size, {"8": [0, 0x7f, -2], "16": [1, 0x1234, -2], "64": [1, 0x123456789abcdef0, -2]}.get(
                bits, [1, 0x12345678, -2]))
            encoding = f"value{8 * size}"
            for suffix, shown in (("", format_name), ("_hex", "hex")):
                yield Row(word + suffix, str(value) + ("U" if sign == "u" else ""), encoding, shown, number(size, value))
                yield Row(word + suffix + "_slice", f"{word}s, 3", encoding, shown, number(2, 3) + many, True)


def numbers_with_a_meaning():
    array = True
    pointer = f"value{8 * POINTER_BYTES}"
    sizes = number(2, 3) + units(POINTER_BYTES, [1, 0x12345678, -2])
    int32s = number(2, 3) + units(4, [1, 0x12345678, -2])
    yield Row("f32", "-1.25F", "value32", "float", real("f", -1.25))
    yield Row("f32_slice", "f32s, COUNT(f32s)", "value32", "float", number(2, 2) + real("f", 0.5) + real("f", -1.25),
              array)
    yield Row("f64", "-1.25", "value64", "float", real("d", -1.25))
    yield Row("f64_slice", "f64s, COUNT(f64s)", "value64", "float", number(2, 2) + real("d", 0.5) + real("d", -1.25),
              array)
    yield Row("bool8", "true", "value8", "boolean", b"\1")
    yield Row("bool8_slice", "bool8s, COUNT(bool8s)", "value8", "boolean", number(2, 3) + b"\1\0\1", array)
    yield Row("bool32", "1", "value32", "boolean", number(4, 1))
    yield Row("bool32_slice", "i32s, 3", "value32", "boolean", int32s, array)
    yield Row("char8_cp1252", "'a'", "value8", "string8", b"a")
    yield Row("char8_cp1252_slice", "chars, COUNT(chars)", "value8", "string8", number(2, 2) + b"a\xe9", array)
    yield Row("char16", "u'\\u20ac'", "value16", "utf", number(2, 0x20ac))
    yield Row("char16_slice", "u16s, 3", "value16", "utf", number(2, 3) + units(2, [1, 0x1234, -2]), array)
    for word, format_name, numbers in (("errno", "errno", "i32s, 3"), ("hresult", "hex", "i32s, 3")):
        yield Row(word, "-2", "value32", format_name, number(4, -2))
        yield Row(word + "_slice", numbers, "value32", format_name, int32s, array)
    yield Row("win_error", "0xfffffffe", "value32", "unsigned", number(4, -2))
    yield Row("win_error_slice", "u32s, 3", "value32", "unsigned", number(2, 3) + units(4, [1, 0x12345678, -2]), array)
    yield Row("win_ntstatus", "-2", "value32", "hex", number(4, -2))
    yield Row("win_ntstatus_slice", "i32s, 3", "value32", "hex", int32s, array)
    for word in ("pid", "tid"):
        yield Row(word, "4194304", "value32", "pid", number(4, 4194304))
        yield Row(word + "_slice", "pids, COUNT(pids)", "value32", "pid", number(2, 2) + units(4, [1, 4194304]), array)
    yield Row("time32", "-2", "value32", "time", number(4, -2))
    yield Row("time64", "-2", "value64", "time", number(8, -2))
    yield Row("systemtime", "before_1970", "value64", "time", number(8, -2))
    for word, given in (("pointer", "(void *)0x1234"), ("codepointer", "0x1234")):
        yield Row(word, given, pointer, "hex", number(POINTER_BYTES, 0x1234))
        yield Row(word + "_slice", "usizes, 3", pointer, "hex", sizes, array)
    yield Row("port", "0x1234", "value16", "port", number(2, 0x1234))
    yield Row("port_slice", "u16s, 3", "value16", "port", number(2, 3) + units(2, [1, 0x1234, -2]), array)
    yield Row("port_host", "0x1234", "value16", "port", b"\x12\x34")
    yield Row("port_host_slice", "u16s, 3", "value16", "port", number(2, 3) + b"\0\1\x12\x34\xff\xfe", array)


def addresses_and_bytes():
    for word, format_name in (("guid", "uuid"), ("ipv6", "ip"), ("ipv6c", "ip")):
        yield Row(word, "bytes16", "value128", format_name, BYTES16)
    yield Row("guid_slice", "bytes32, 2", "value128", "uuid", number(2, 2) + BYTES32, True)
    yield Row("ipv4", "bytes16", "value32", "ip", BYTES16[:4])
    yield Row("ipv4_slice", "bytes16, 3", "value32", "ip", number(2, 3) + BYTES16[:12], True)
    for word in ("binary", "binaryc", "socketaddress", "socketaddressc"):
        yield Row(word, "bytes32, 21", "counted8", "hex_bytes", counted(1, BYTES32[:21]))


def texts():
    euro = {8: "€uro".encode(), 16: units(2, [0x20ac, *b"uro"]), 32: units(4, [0x20ac, *b"uro"])}
    literal = {8: 'u8"€uro"', 16: 'u"€uro"', 32: 'U"€uro"'}
    kinds = {"": "default", "_cp1252": "string8", "_json": "json", "_xml": "xml"}
    for bits in (8, 16, 32):
        size, text = bits // 8, euro[bits]
        for suffix, format_name in kinds.items():
            if suffix == "_cp1252" and bits != 8:
                continue
            word = f"str{bits}{suffix}"
            yield Row(word, literal[bits], f"counted{bits}", format_name, counted(size, text))
            yield Row(word + "_n", f"{literal[bits]}, 2", f"counted{bits}", format_name, counted(size, text[:2 * size]))
            yield Row("c" + word, literal[bits], f"zstring{bits}", format_name, text + bytes(size))
            yield Row("c" + word + "_n", f"{literal[bits]}, 3", f"zstring{bits}", format_name,
                      text[:3 * size] + bytes(size))


def fixed_arrays():
    """For each slice, the array of constant length: the same without the count."""
    for some in (integers, numbers_with_a_meaning, addresses_and_bytes):
        for row in some():
            if row.array:
                yield Row(row.word.replace("_slice", "_array"), row.given, row.encoding, row.format, row.data[2:],
                          fixed=int.from_bytes(row.data[:2], BYTE_ORDER))


def newer():
    """Fields that have the size of their value, which may be absent."""
    def nullable(word, given, format_name, data):
        return Row(word + "_nullable", given, "binary", format_name, counted(1, data))

    sizes = {"8": 1, "16": 2, "32": 4, "64": 8, "size": POINTER_BYTES}
    for sign, format_name in (("u", "unsigned"), ("i", "signed")):
        for bits, size in sizes.items():
            for suffix, shown in (("", format_name), ("_hex", "hex")):
                yield nullable(sign + bits + suffix, f"{sign}{bits}s + 2", shown, number(size, -2))
    yield nullable("f32", "f32s + 1", "float", real("f", -1.25))
    yield nullable("f64", "f64s + 1", "float", real("d", -1.25))
    yield nullable("bool8", "bool8s", "boolean", b"\1")
    for word, given, format_name, data in (("bool32", "i32s", "boolean", 1), ("errno", "i32s + 2", "errno", -2),
                                           ("hresult", "i32s + 2", "hex", -2), ("pid", "pids + 1", "pid", 4194304),
                                           ("tid", "pids + 1", "pid", 4194304), ("time32", "i32s + 2", "time", -2)):
        yield nullable(word, given, format_name, number(4, data))
    yield nullable("time64", "i64s + 2", "time", number(8, -2))
    yield nullable("port", "u16s + 1", "port", number(2, 0x1234))
    yield nullable("port_host", "u16s + 1", "port", b"\x12\x34")
    yield nullable("guid", "bytes16", "uuid", BYTES16)
    yield nullable("ipv4", "bytes16", "ip", BYTES16[:4])
    yield nullable("ipv6", "bytes16", "ip", BYTES16)
    yield Row("ip_address", "bytes16, 4", "binary", "ip", counted(1, BYTES16[:4]))
    yield Row("binary_length16_char8", "bytes32, 21", "binary", "default", counted(1, BYTES32[:21]))


def rows():
    yield from integers()
    yield from numbers_with_a_meaning()
    yield from addresses_and_bytes()
    yield from texts()
    yield from fixed_arrays()
    yield from newer()


def each_row():
    """Each word of the vocabulary without options, with one of them, and with both in either order."""
    for row in rows():
        texts_ = [row.text("A"), row.text("Tagged", ", tag(0x1234)"), row.text("Formatted", ", format(UNSIGNED_INT)"),
                  row.text("Both", ", tag(0xffff), format(3)"), row.text("Turned", ", format(HEX_BYTES), tag(1)")]
        fields = [row.field("A"), row.field("Tagged", 0x1234), row.field("Formatted", None, "unsigned"),
                  row.field("Both", 0xffff, "hex"), row.field("Turned", 1, "hex_bytes")]
        yield Event(row.word, ", ".join(texts_), event(row.word, fields))


def options():
    levels = ["CRITICAL_ERROR", "ERROR", "WARNING", "INFORMATION", "VERBOSE"]
    opcodes = {"INFO": 0, "ACTIVITY_START": 1, "ACTIVITY_STOP": 2, "COLLECTION_START": 3, "COLLECTION_STOP": 4,
               "EXTENSION": 5, "REPLY": 6, "RESUME": 7, "SUSPEND": 8, "SEND": 9, "RECEIVE": 240, "33": 33}
    for level, word in enumerate(levels, 1):
        yield Event("Level", f"level({word})", event("Level", [], level), f"Golden_L{level}K1")
    yield Event("Level", "level(255)", event("Level", [], 255), "Golden_LffK1")
    for word, opcode in opcodes.items():
        yield Event("Opcode", f"opcode({word})", event("Opcode", [], opcode=opcode))
    yield Event("Keyword", "keyword(0x23)", event("Keyword", []), "Golden_L5K23")
    yield Event("Keyword", "keyword(0)", event("Keyword", []), "Golden_L5K0")
    yield Event("Keywords", "keyword(0x8000000000000000), keyword(1 << 4)", event("Keywords", []),
                "Golden_L5K8000000000000010")
    yield Event("Tag", "tag(0xfffe)", event("Tag", [], tag=0xfffe))
    yield Event("Id", "id_version(0xfffe, 255)", event("Id", [], identity=(0xfffe, 255)))
    yield Event("Activity", "activity_id(&activity)", event("Activity", [], activity=BYTES16))
    yield Event("Activity", "activity_id(&activity), related_id(&related)",
                event("Activity", [], activity=BYTES16, related=BYTES32[16:]))
    yield Event("Activity", "activity_id(&activity), related_id(no_id)", event("Activity", [], activity=BYTES16))
    yield Event("Activity", "activity_id(no_id), related_id(no_id)", event("Activity", []))
    yield Event("Activity", "activity_id(bytes16)", event("Activity", [], activity=BYTES16))
    yield Event("Activity", "activity_id(NULL), related_id(NULL)", event("Activity", []))
    yield Event("Ignored", 'channel(11), task(3), u8("A", 1), task(), channel("any", 1)',
                event("Ignored", [Field("A", "value8", data=b"\1")]))
    one = Field("One", "value8", data=b"\1")
    two = Field("Two", "value8", data=b"\2")
    yield Event("Anywhere", 'u8("One", 1), id_version(7, 8), related_id(&related), u8("Two", 2), level(ERROR), '
                'opcode(REPLY), tag(9), keyword(6), activity_id(&activity)',
                event("Anywhere", [one, two], 2, 6, 9, (7, 8), BYTES16, BYTES32[16:]), "Golden_L2K6")


def structs():
    a, b, c = (Field(name, "value8", data=bytes([value])) for name, value in (("A", 1), ("B", 2), ("C", 3)))
    yield Event("Struct", 'struct("S", u8("A", 1)), u8("B", 2)', event("Struct", [Struct("S", [a]), b]))
    yield Event("Struct", 'struct("S", tag(0x1234), u8("A", 1), u8("B", 2)), u8("C", 3)',
                event("Struct", [Struct("S", [a, b], 0x1234), c]))
    yield Event("Nested", 'struct("S", u8("A", 1), struct("T", tag(5), u8("B", 2), struct("U", u8("C", 3), u8("A", 1))), '
                'u8("C", 3)), struct("V", errno("A", 1, tag(9)), u8("B", 2))',
                event("Nested", [Struct("S", [a, Struct("T", [b, Struct("U", [c, a])], 5), c]),
                                 Struct("V", [Field("A", "value32", "errno", number(4, 1), 9), b])]))
    deep, deep_text = [a], 'u8("A", 1)'
    for i in range(8):
        deep, deep_text = [Struct(f"S{i}", deep)], f'struct("S{i}", {deep_text})'
    yield Event("Deepest", f"{deep_text}, u8(\"B\", 2)", event("Deepest", [*deep, b]))
    many = [Field(f"F{i}", "value8", data=bytes([i])) for i in range(127)]
    wide, wide_text = many, ", ".join(f'u8("F{i}", {i})' for i in range(127))
    for i in range(3):
        wide = [*many[:126], Struct(f"S{i}", wide)]
        wide_text = ", ".join(f'u8("F{i}", {i})' for i in range(126)) + f', struct("S{i}", {wide_text})'
    yield Event("DeepAndWide", f"{wide_text}, u8(\"B\", 2)", event("DeepAndWide", [*wide, b]))
    many = [Field(f"F{i}", "value8", data=bytes([i])) for i in range(127)]
    texts_ = [f'u8("F{i}", {i})' for i in range(127)]
    yield Event("Widest", f'struct("S", {", ".join(texts_)})', event("Widest", [Struct("S", many)]))
    yield Event("Many", ", ".join(texts_), event("Many", many))


def raw():
    yield Event("Raw", 'raw_field("A", VALUE8, "x", 1, format(STRING8), tag(200)), '
                'raw_field_slice("B", VALUE8, "\\2\\0yz", 4), raw_meta("C", VALUE32, format(HEX_INT)), '
                'raw_meta_slice("D", VALUE8), raw_data(bytes16, 7)',
                event("Raw", [Field("A", "value8", "string8", b"x", 200), Field("B", "value8", data=b"\2\0yz", array=True),
                              Field("C", "value32", "hex"), Field("D", "value8", array=True), Data(BYTES16[:7])]))
    meta = [Field("A", "value8", "string8"), Field("B", "zstring8")]
    yield Event("RawStruct", 'raw_struct("S", 2, tag(3)), raw_meta("A", VALUE8, format(STRING8)), '
                'raw_meta("B", ZSTRING_CHAR8), raw_data("xy", 3), raw_struct_slice("T", 2), '
                'raw_meta("A", VALUE8, format(STRING8)), raw_meta("B", ZSTRING_CHAR8), raw_data(bytes32, 17)',
                event("RawStruct", [Struct("S", [], 3, count=2), *meta, Data(b"xy\0"),
                                    Struct("T", [], count=2, array=True), *meta, Data(BYTES32[:17])]))

    a, b, c = (Field(name, "value8", data=bytes([value])) for name, value in (("A", 1), ("B", 2), ("C", 3)))
    nine = Field("A", "value8")
    yield Event("RawInStruct", 'struct("S", raw_meta("A", VALUE8), raw_data(bytes16 + 9, 1)), u8("B", 2), u8("C", 3)',
                event("RawInStruct", [Struct("S", [nine, Data(b"\x09")], count=1), b, c]))
    yield Event("RawInStructs", 'struct("S", raw_data(bytes16 + 9, 1), raw_meta("A", VALUE8), '
                'struct("T", raw_meta("A", VALUE8), raw_data(bytes16 + 9, 1), u8("A", 1)), u8("C", 3), '
                'raw_field("D", VALUE16, bytes16, 2), raw_data(bytes16, 0)), u8("B", 2)',
                event("RawInStructs", [Struct("S", [
                    Data(b"\x09"), nine, Struct("T", [nine, Data(b"\x09"), a], count=2), c, Field("D", "value16", data=BYTES16[:2]),
                    Data(b"")], count=4), b]))

    yield Event("RawArrays", 'raw_field_array("A", VALUE8, 3, "xyz", 3, format(STRING8), tag(200)), '
                'raw_field_array("B", VALUE16, 1, bytes16, 2), raw_meta_array("C", ZSTRING_CHAR8, 2), '
                'raw_meta_array("D", VALUE8, 65535, format(HEX_INT)), raw_struct_array("S", 1, 2, tag(3)), '
                'raw_struct_array("T", 1, 3), raw_meta("E", VALUE8), raw_data(long8, 65000)',
                event("RawArrays", [Field("A", "value8", "string8", b"xyz", 200, fixed=3), Field("B", "value16", data=BYTES16[:2], fixed=1),
                                    Field("C", "zstring8", fixed=2), Field("D", "value8", "hex", fixed=65535),
                                    Struct("S", [], 3, count=1, fixed=2), Struct("T", [], count=1, fixed=3),
                                    Field("E", "value8"), Data(b"x" * 65000)]))


def no_values():
    """Fields without a value, and arrays of constant length from NULL."""
    yield Event("None", 'u8_nullable("A", (uint8_t *)NULL), port_nullable("B", (uint16_t *)NULL), '
                'guid_nullable("C", no_id), ip_address("D", no_id, 0), ip_address("E", bytes16, 16), '
                'binary_length16_char8("F", NULL, 9), u64_nullable("G", (uint64_t *)NULL, tag(7)), u8("H", 8)',
                event("None", [Field("A", "binary", "unsigned", bytes(2)), Field("B", "binary", "port", bytes(2)),
                               Field("C", "binary", "uuid", bytes(2)), Field("D", "binary", "ip", bytes(2)),
                               Field("E", "binary", "ip", counted(1, BYTES16)), Field("F", "binary", data=bytes(2)),
                               Field("G", "binary", "unsigned", bytes(2), 7), Field("H", "value8", data=b"\x08")]))
    yield Event("Zeros", 'u32_array("A", (uint32_t *)NULL, 3), port_array("B", (uint16_t *)NULL, 2), '
                'guid_array("C", no_id, 1), u8("D", 8)',
                event("Zeros", [Field("A", "value32", data=bytes(12), fixed=3), Field("B", "value16", "port", bytes(4), fixed=2),
                                Field("C", "value128", "uuid", bytes(16), fixed=1), Field("D", "value8", data=b"\x08")]))
    yield Event("LongestArray", 'u8_array("A", (const uint8_t *)long8, 65000), u8_array("B", u8s, COUNT(u8s))',
                event("LongestArray", [Field("A", "value8", data=b"x" * 65000, fixed=65000),
                                       Field("B", "value8", data=b"\0\x7f\xfe", fixed=3)]))


def empty_values():
    """No fields, short names, empty and NULL texts, empty slices."""
    for name in ("A", "Ab", "Abc", "Abcd", "Abcde", "x" * 300):
        yield Event(name, "", event(name, []))
        yield Event(name, "activity_id(&activity)", event(name, [], activity=BYTES16))
    for bits in (8, 16, 32):
        size = bits // 8
        empty = {8: '""', 16: 'u""', 32: 'U""'}[bits]
        for given in (empty, f"no_char{bits}"):
            yield Event("Empty", f'str{bits}("A", {given}), cstr{bits}("B", {given}), str{bits}_n("C", {given}, 0), '
                        f'cstr{bits}_n("D", {given}, 0), cstr{bits}_n("E", {given}, 9)',
                        event("Empty", [Field("A", f"counted{bits}", data=bytes(2)),
                                        Field("B", f"zstring{bits}", data=bytes(size)),
                                        Field("C", f"counted{bits}", data=bytes(2)),
                                        Field("D", f"zstring{bits}", data=bytes(size)),
                                        Field("E", f"zstring{bits}", data=bytes(size))]))
    for word, encoding, format_name, array in (("u8", "value8", "default", "u8s"), ("u64", "value64", "default", "u64s"),
                                              ("f64", "value64", "float", "f64s"), ("port", "value16", "port", "u16s"),
                                              ("guid", "value128", "uuid", "bytes16")):
        yield Event("Nothing", f'{word}_slice("A", {array}, 0)',
                    event("Nothing", [Field("A", encoding, format_name, bytes(2), array=True)]))
    yield Event("Nothing", 'binary("A", NULL, 0), binary("B", NULL, 9)',
                event("Nothing", [Field(name, "counted8", "hex_bytes", bytes(2)) for name in "AB"]))
    yield Event("Embedded", 'str8_n("A", "a\\0b", 3), cstr8_n("B", "a\\0b", 3)',
                event("Embedded", [Field("A", "counted8", data=counted(1, b"a\0b")), Field("B", "zstring8", data=b"a\0")]))


def large():
    """Texts of every length up to 40 and some longer ones, and the largest possible events."""
    for count in [*range(1, 40), 127, 128, 255, 256, 257, 271, 272, 1000, 32000]:
        text = b"x" * count
        yield Event("Long", f'str8("A", long8 + {65535 - count}), cstr8("B", long8 + {65535 - count}), u8("C", 1)',
                    event("Long", [Field("A", "counted8", data=counted(1, text)), Field("B", "zstring8", data=text + b"\0"),
                                   Field("C", "value8", data=b"\1")]))
    rest = PAYLOAD_MAX - len(event("Largest", [Field("A", "counted8", data=bytes(2))]))
    yield Event("Largest", f'str8_n("A", long8, {rest})',
                event("Largest", [Field("A", "counted8", data=counted(1, b"x" * rest))]))
    yield Event("Largest", f'str8_n("A", long8, {rest + 1})', None)
    yield Event("Largest", f'str8("A", long8 + {65535 - rest})',
                event("Largest", [Field("A", "counted8", data=counted(1, b"x" * rest))]))
    yield Event("Largest", f'str8("A", long8 + {65535 - rest - 1})', None)
    yield Event("Largest", f'activity_id(&activity), str8_n("A", long8, {rest - 20})',
                event("Largest", [Field("A", "counted8", data=counted(1, b"x" * (rest - 20)))], activity=BYTES16))
    yield Event("Largest", f'activity_id(&activity), str8_n("A", long8, {rest - 19})', None)
    for given in ('str8("A", long8)', 'str8_n("A", long8, large)', 'cstr8("A", long8)', 'str16("A", long16)',
                  'u8_slice("A", u8s, huge)', 'u64_slice("A", u64s, huge / 8)', 'binary("A", u8s, large)',
                  'raw_data(u8s, large)', f'str8_n("A", long8, {rest}), u64("B", 1), str8("C", long8 + 3)'):
        yield Event("TooLarge", given, None)


def all_events():
    for some in (each_row, options, structs, raw, no_values, empty_values, large):
        yield from some()


# ---- events that only the builder can write ----

def raw_field(*args, **options):
    """A field that is written as a raw definition and raw data."""
    field = Field(*args, **options)
    field.raw = True
    return field


def texts_field(name, encoding, items, format_name="default", tag=None):
    """An array of texts."""
    field = Field(name, encoding, format_name, number(2, len(items)) + b"".join(item.data for item in items), tag, True)
    field.items = items
    return field


def built(name, fields, **options):
    return Event(name, "", event(name, fields, **options))


def built_arrays():
    for size, encoding in ((1, "value8"), (2, "value16"), (4, "value32"), (8, "value64"), (16, "value128")):
        for tag in (None, 7):
            yield built("Fixed", [Field("A", encoding, "hex", bytes(range(3 * size)), tag, fixed=3),
                                  Field("B", encoding, data=bytes(size), fixed=1)])
    yield built("Longest", [Field("A", "value8", data=b"x" * 65000, fixed=65000)])
    for kind, size in (("zstring8", 1), ("zstring16", 2), ("zstring32", 4)):
        items = [Field("", kind, data=units(size, some) + bytes(size)) for some in ([1, 2, 3], [], [4])]
        yield built("Texts", [texts_field("A", kind, items), texts_field("B", kind, items, "json", 9)])
    for kind, size in (("counted8", 1), ("counted16", 2), ("counted32", 4), ("binary", 1)):
        items = [Field("", kind, data=counted(size, units(size, some))) for some in ([1, 0, 3], [], [4])]
        yield built("Texts", [texts_field("A", kind, items), Field("B", "value8", data=b"\5")])


def built_nothing():
    """Fields that may have no value."""
    yield built("Null", [Field("A", "binary", "unsigned", bytes(2)), Field("B", "binary", "unsigned", number(2, 4) + bytes(4)),
                         Field("C", "binary", "uuid", bytes(2), 5), Field("D", "binary", "ip", number(2, 16) + BYTES16)])


def point(x, y, name):
    return [Field("X", "value32", "signed", number(4, x)), Field("Y", "value32", "signed", number(4, y), 3),
            Field("Name", "counted8", data=counted(1, name))]


def built_structs():
    points = [point(1, -2, b"one"), point(3, 4, b""), point(-5, 6, b"three")]
    yield built("Points", [StructArray("P", points), Field("After", "value8", data=b"\1")])
    yield built("Points", [StructArray("P", points[:1], 0x1234), StructArray("Q", points[1:])])
    yield built("NoPoints", [StructArray("P", [], None, points[0]), Field("After", "value8", data=b"\1")])
    lines = [[Field("Id", "value8", data=bytes([i])), StructArray("P", points[:i], 8, points[0]),
              Struct("Ends", [Struct("From", points[i]), Struct("To", points[0], 2)]),
              texts_field("T", "zstring8", [Field("", "zstring8", data=b"a\0")] * i)] for i in range(3)]
    yield built("Lines", [StructArray("L", lines[1:]), Field("After", "value8", data=b"\1")])
    yield built("Lines", [StructArray("L", lines), StructArray("M", lines[:1])])
    yield built("Lines", [StructArray("L", [], None, lines[2]), Struct("S", [StructArray("M", lines)])])
    deep = point(1, 2, b"deep")
    for i in range(8):
        deep = [Struct(f"S{i}", deep)]
    yield built("Deep", deep)
    deep = point(1, 2, b"deep")
    for i in range(8):
        deep = [StructArray(f"S{i}", [deep, deep])]
    yield built("Deep", deep)


def built_raw():
    yield built("Raw", [raw_field("A", "value8", "string8", b"x", 200), raw_field("B", "value8", data=b"\2\0yz", array=True),
                        raw_field("C", "value32", "hex", bytes(4)), Data(BYTES16[:7])])


def built_events():
    """The events without raw fields, and those that only the builder can write."""
    for some in (each_row, options, structs, no_values, empty_values, large):
        yield from (found for found in some() if found.payload is not None)
    for some in (built_arrays, built_nothing, built_structs, built_raw):
        yield from some()
