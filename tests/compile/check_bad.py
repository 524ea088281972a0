#!/usr/bin/env python3
"""The compiler explains a mistake in an event in one sentence: its first error is cairn's, names the mistake, and shows no
internal name.

usage: check_bad.py SOURCE_ROOT
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from extent import share  # noqa: E402

PROGRAM = """#include <cairn/eventheader.h>
#include <netinet/in.h>
#include <sys/socket.h>
CAIRN_PROVIDER(p, "Bad");
struct bits { unsigned three : 3; unsigned twenty : 20; };
struct whole { int a, b; };
enum colour { RED, GREEN };
struct values {
    bool b; char c; signed char sc; uint8_t u8; int8_t i8; uint16_t u16; int16_t i16; uint32_t u32; int32_t i32;
    uint64_t u64; int64_t i64; long l; unsigned long ul; long long ll; unsigned long long ull; size_t size; ssize_t ssize;
    float f; double d; long double ld; enum colour e; struct whole s; struct bits bits; struct timespec time;
    void *v; const char *text; uint8_t *bytes; int *ints; float *reals; uint16_t *u16s; struct cairn_guid *id;
    struct in_addr *ipv4; struct in6_addr *ipv6; uint8_t three[3]; uint8_t sixteen[16]; pid_t pid; time_t t;
    const void *cv; void *const *pointers; size_t *sizes;
};
static inline int write_good(int n) { return n; }
"""
FUNCTION = "int write_{0}(int n, const char *text, float *reals, struct cairn_tracepoint *no_provider, struct values *x)"
BODY = "(void)n, (void)text, (void)reals, (void)no_provider, (void)x, (void)half; return {0};"


def function(number, text):
    """Returns a mistake, on a line of its own."""
    head = FUNCTION.format(number)
    return f"{head}; {head} {{ const double half = 0.5; {BODY.format(text)} }}\n"


def program(text):
    return PROGRAM + function(0, text)


INCLUDE = "#include <cairn/eventheader.h>\n"
PROVIDER = "CAIRN_PROVIDER(p, {});\n"
COMPILERS = {"gcc": "c", "clang": "c", "g++": "c++", "clang++": "c++"}
# The share of the mistakes that a compiler gets (tests/extent.py): mistakes of one kind are neighbours.
SHARES = {"gcc": (0, 3), "clang": (1, 3), "g++": (2, 3), "clang++": (0, 3)}
BOTH = ("c", "c++")

MANY = ", ".join(f'u8("F{i}", 1)' for i in range(128))


def deep(depth, inner='u8("A", 1)'):
    for i in range(depth):
        inner = f'struct("S{depth - i}", {inner})'
    return inner


# ---- values ----

# The words that accept values of each kind, and for each kind values of other kinds, constants and variables.
NO_NUMBERS = ["x->text", "x->v", "x->s", '"text"', "write_good"]
NO_INTEGERS = ["0.5", "1.0", "x->f", "x->d", *NO_NUMBERS]
KINDS = {
    "u8": (["u8", "u8_hex"], ["-1", "256", "300", "1L << 40", "x->i8", "x->u16", "x->i32", "x->u8 + x->u8", "x->ull", "x->bits.twenty"]),
    "u16": (["u16", "u16_hex", "port", "port_host", "char16"], ["-1", "65536", "x->i8", "x->i16", "x->u32", "x->i32", "x->u16 + 1", "x->size"]),
    "u32": (["u32", "u32_hex"], ["-1", "1L << 32", "1L << 40", "x->i32", "x->i16", "x->u64", "x->l", "x->size", "x->u16 + x->u16"]),
    "u64": (["u64", "u64_hex", "usize", "usize_hex"], ["-1", "-1LL", "x->i64", "x->i8", "x->i32", "x->ssize"]),
    "i8": (["i8", "i8_hex"], ["128", "-129", "200", "0xffffffffffffffff", "x->u8", "x->i16", "x->i32"]),
    "i16": (["i16", "i16_hex"], ["32768", "-32769", "x->u16", "x->i32", "x->i16 + x->i16"]),
    "i32": (["i32", "i32_hex", "bool32", "errno", "hresult", "time32"],
            ["2147483648", "0x80004005", "-2147483649", "0xffffffffffffffff", "x->u32", "x->i64", "x->size", "x->e"]),
    "i64": (["i64", "i64_hex", "isize", "isize_hex", "time64"], ["0x8000000000000000", "0xffffffffffffffff", "x->u64", "x->size"]),
    "pid": (["pid", "tid"], ["1L << 32", "-5000000000", "x->l", "x->u64"]),
    "char8": (["char8_cp1252"], ["256", "-129", "x->i16", "x->i32"]),
    "bool": (["bool8"], ["2", "256", "-1"]),
}
REALS = {
    "f32": ["x->d", "x->ld", "1e39", "-1e39", "x->i32", "16777217", "half"],
    "f64": ["x->ld", "x->i64", "x->u64", "1L << 60"],
}
POINTERS = {
    "guid": ["x->v", "x->text", "x->ints", "x->three", "x->ipv4", "&x->s", "n", "0.5"],
    "ipv6": ["x->v", "x->ints", "x->ipv4", "x->three"],
    "ipv6c": ["x->v"],
    "ipv4": ["x->v", "x->text", "x->id", "x->ipv6", "x->three"],
    "guid_nullable": ["x->v", "x->ints"], "ipv4_nullable": ["x->v", "x->id"], "ipv6_nullable": ["x->v", "x->ipv4"],
    "u32_nullable": ["n", "0", "x->v", "x->reals", "NULL", "x->u16s"],
    "str8": ["n", "NULL", "x->v", "x->ints", "x->u16s"], "cstr8_json": ["n", "NULL"], "str16": ["x->text", "NULL", "x->ints"],
    "cstr32": ["x->text", "x->u16s", "NULL"],
    "systemtime": ["x->t", "&x->time", "1"],
    "pointer": ["0.5", "x->s", "n", "-1"], "codepointer": ["0.5", "x->s", "n"],
}
COUNTED = {
    "u32_slice": ["x->reals", "x->v", "x->ints", "n", "NULL"], "u8_slice": ["x->text", "x->u16s"], "f64_slice": ["x->reals"],
    "char16_slice": ["x->text", "x->v", "x->bytes"], "guid_slice": ["x->v", "x->ints"], "ipv4_slice": ["x->v", "x->u16s", "x->id"],
    "pointer_slice": ["x->v", "x->text", "x->ints", "x->bytes"], "port_slice": ["x->bytes", "x->text"], "pid_slice": ["x->reals"],
    "str8_n": ["n", "x->v"], "cstr16_n": ["x->text"], "binary": ["n", "0.5", "x->s"], "socketaddress": ["n"], "ip_address": ["n"],
    "binary_length16_char8": ["n"],
}
COUNTS = ["x->text", "0.5", "x->s", "-1", "65536", "70000", "1ull << 63"]
CONSTANT_LENGTHS = ["n", "0", "65536", "-1", "x->size"]


def values():
    """Each error names the field."""
    for words, wrong in KINDS.values():
        for number, word in enumerate(words):
            for value in [*wrong, *NO_INTEGERS] if number == 0 else wrong[:2]:
                yield f'{word}("Field", {value})'
    for word, wrong in REALS.items():
        for value in [*wrong, *NO_NUMBERS]:
            yield f'{word}("Field", {value})'
    for word, wrong in POINTERS.items():
        yield from (f'{word}("Field", {value})' for value in wrong)
    for word, wrong in COUNTED.items():
        yield from (f'{word}("Field", {value}, 1)' for value in wrong)
    for count in COUNTS:
        yield f'str8_n("Field", text, {count})'
        yield f'u8_slice("Field", x->bytes, {count})'
        yield f'binary("Field", x->bytes, {count})'
    yield from (f'f32_array("Field", reals, {length})' for length in CONSTANT_LENGTHS)
    yield from (f'raw_meta_array("Field", VALUE8, {length})' for length in CONSTANT_LENGTHS)
    yield 'u32_array("Field", reals, 1)'


def fields_without_something():
    for word in ("u8", "f32", "bool8", "str8", "guid", "systemtime", "pointer", "u8_nullable", "i64_hex"):
        yield f'{word}("Field")', 'field "Field" has no value'
        yield f'{word}("Field", )', 'field "Field" has no value'
    for word in ("u8_slice", "str8_n", "binary", "guid_slice", "ip_address"):
        yield f'{word}("Field")', 'field "Field" has no value'
        yield f'{word}("Field", x->bytes)', 'field "Field" has no count'
    yield 'u8_array("Field", x->bytes)', 'array "Field" has no length'
    yield 'u8_array("Field")', 'array "Field" has no length'
    yield 'raw_field("Field")', 'raw field "Field" has no encoding'
    yield 'raw_field("Field", VALUE8)', 'field "Field" has no value'
    yield 'raw_field("Field", VALUE8, x->bytes)', 'field "Field" has no count'
    yield 'raw_meta("Field")', 'raw field "Field" has no encoding'
    yield 'raw_meta_array("Field", VALUE8)', 'array "Field" has no length'
    yield 'raw_struct("Field")', 'raw struct "Field" has no number of fields'
    yield 'raw_data()', 'field "raw_data" has no value'
    yield 'raw_data(x->bytes)', 'field "raw_data" has no count'
    for word in ("activity_id", "related_id"):
        yield f"{word}()", f'field "{word}" has no value'
    for word in ("level", "keyword", "opcode", "tag", "id_version"):
        yield f"{word}()", f"{word}(...) takes"
    yield "id_version(1)", "id_version(...) takes"


# ---- words, options, names ----

WORDS = [
    ('u33("Field", 1)', 'no such field or option'),
    ('u8("A", 1), u33("Field", 1), u8("C", 1)', 'no such field or option'),
    ('struct("S", u33("Field", 1))', 'no such field or option'),
    ('struct("S", u8("A", 1), struct("T", tag(1), u33("Field", 1)), u8("B", 1))', 'no such field or option'),
    ('debug(), u33("Field", 1)', 'no such field or option'),
    ('u8("Field", 1, 2)', 'too many arguments'),
    ('u8("Field", 1, tag(1), tag(2))', 'each once'),
    ('u8("Field", 1, format(HEX_INT), format(HEX_INT))', 'each once'),
    ('u8("Field", 1, format(HEX_INT, 2))', 'each once'),
    ('u8_array("Field", x->bytes, 1, tag(1, 2))', 'each once'),
    ('u8("Field", 1, tag(1), format(HEX_INT), tag(2))', 'each once'),
    ('u8("Field", 1, tag(1), colour(2))', 'options other than tag(...) and format(...)'),
    ('u8("Field", 1, colour(2))', 'options other than tag(...) and format(...)'),
    ('u8_array("Field", x->bytes, 1, tag(1), tag(2))', 'each once'),
    ('raw_meta("Field", VALUE8, tag(1), tag(2))', 'each once'),
    ('raw_field("Field", VALUE8, x->bytes, 1, format(HEX_INT), format(HEX_INT))', 'each once'),
    ('raw_struct("Field", 1, format(HEX_INT))', 'options other than'),
    ('raw_struct("Field", 1, tag(1), tag(2))', 'each once'),
    ('struct("S", errno("Field", 1, tag(1), tag(2)))', 'each once'),
    ('str8_n("Field", text, 1, 2)', 'too many arguments'),
    ('raw_data(x->bytes, 1, field)', 'too many arguments'),
    ('level(field, 2)', 'too many arguments'),
    ('id_version(1, 2, field)', 'too many arguments'),
    ('activity_id(x->id, field)', 'too many arguments'),
    ('u8("Field", 1) u8("B", 1)', 'a comma is missing'),
    ('level(WARNING) u8("Field", 1), u8("B", 1)', 'a comma is missing'),
    ('u8("A", 1), u8("Field", 1, tag(1)) u8("B", 1)', 'a comma is missing'),
    ('struct("S", u8("Field", 1) u8("B", 1))', 'a comma is missing'),
    ('struct("Field", u8("A", 1)) u8("B", 1)', 'a comma is missing'),
    ('u8("Field", 1) struct("S", u8("A", 1))', 'a comma is missing'),
    ('errno("Field", 1) u8("B", 1)', 'a comma is missing'),
]
# A text or a sign where a word belongs: the error is the preprocessor's, and contains a sentence of ours with underscores.
PASTED = [
    *[(f"level({value})", "level_takes_a_name_such_as_WARNING_or_a_constant_from_1_to_255") for value in ("-1", '"x"', ".5", "!0")],
    *[(f"opcode({value})", "opcode_takes_a_name_such_as_ACTIVITY_START_or_a_constant_from_0_to_255") for value in ("-1", '"x"')],
    *[(f'u8("A", 1, format({value}))', "format_takes_a_name_such_as_HEX_INT_or_a_constant_from_0_to_127") for value in ("-1", '"x"')],
    *[(f'raw_meta{what}', "a_raw_field_takes_an_encoding_such_as_VALUE8") for what in ('("A", -1)', '_array("A", "x", 1)')],
    *[(text, 'only_tag_and_format_may_follow_the_value_of_') for text in (
        'u8("A", 1, "B", 2)', 'u8("A", 1, -1)', 'u8("A", 1, tag(1), "B", 2)', 'u8_slice("A", x->bytes, 1, "B")',
        'u8_array("A", x->bytes, 1, "B")', 'u32_nullable("A", 0, "B")', 'guid_nullable("A", x->id, "B")', 'str8_n("A", text, 1, "B", 2)',
        'raw_field("A", VALUE8, x->bytes, 1, "B")', 'raw_struct("A", 1, "B")', 'errno("A", 1, "B", 2)')],
    *[(text, 'a_field_such_as_u8_or_an_option_such_as_level_belongs_here__not__') for text in (
        '"text"', '"text", n', 'u8("A", 1), "B", 2', '-1', 'struct("S", "B", 1)', 'struct("S", u8("A", 1), "B", 1)',
        'struct("S", tag(1), "B", 1)', 'struct("S", struct("T", -1))', f'{MANY}, "B", 2')],
]
TWICE = ["level(3)", "opcode(3)", "tag(3)", "id_version(1, 2)", "activity_id(x->id)", "related_id(x->id)"]
# The text after the event's name, the expected error, and the languages.
BAD = [
    *[(text, 'field "Field"', BOTH) for text in values() if "array(" not in text or "reals, 1)" in text],
    *[(text, 'array "Field" takes a constant length', BOTH) for text in values() if "array(" in text and "reals, 1)" not in text],
    *[(text, wanted, BOTH) for text, wanted in fields_without_something()],
    *[(text, wanted, BOTH) for text, wanted in WORDS],
    *[(text, wanted, BOTH) for text, wanted in PASTED],
    *[(f"{word}, {word}", f"{word.split('(')[0]}(...) is given twice", BOTH) for word in TWICE],
    *[(f"{word}({given})", f'field "{word}" takes a pointer to 16 bytes', BOTH) for word in ("activity_id", "related_id")
      for given in ("n", "x->v", "x->cv", "x->ints", "x->text", "x->three", "&x->s", "x->s", "0.5")],
    ("level(n)", "level(...) takes", BOTH),
    ("level(0)", "level(...) takes", BOTH),
    ("level(256)", "level(...) takes", BOTH),
    ("keyword(n)", "keyword(...) takes a constant", BOTH),
    ("keyword(0.5)", "keyword(...) takes a constant integer", BOTH),
    ("keyword(-1)", "keyword(...) takes a constant integer", BOTH),
    ("keyword(text)", "keyword(...) takes a constant integer", BOTH),
    ("opcode(n)", "opcode(...) takes", BOTH),
    ("opcode(256)", "opcode(...) takes", BOTH),
    ("tag(0x10000)", "tag(...) takes", BOTH),
    ("tag(n)", "tag(...) takes", BOTH),
    ("id_version(0x10000, 0)", "id_version(...) takes", BOTH),
    ("id_version(1, 256)", "id_version(...) takes", BOTH),
    ('u8(text, 1)', "a field's name must be a string literal without a NUL: text", BOTH),
    *[(f'struct({name}, u8("A", 1))', "a field's name must be a string literal", BOTH) for name in ('"S" u8("A", 1)', 'u8("B", 1)', "5", "text")],
    *[(f'{word}()', "a field's name must be a string literal", BOTH) for word in ("u8", "str8", "guid", "bool8", "f64", "u8_slice", "binary", "struct")],
    ('u8(n, 1)', "a field's name must be a string literal without a NUL: n", BOTH),
    ('u8(5)', "field 5 has no value", BOTH),
    ('u8(5, 1)', "a field's name must be a string literal without a NUL: 5", BOTH),
    ('u8("Field" 1)', 'field "Field" 1 has no value', BOTH),
    ('u8(L"A", 1)', "a field's name must be a string literal", BOTH),
    *[(text, "a field's name must be a string literal without a NUL: ", BOTH) for text in (
        'u8(("A"), 1)', 'u8(("A"), 1), u32("B", 1)', 'u8(("A"), 1, tag(1))', 'str8_n(("A"), text, 1)', 'u8_nullable(("A"), 0)',
        'struct(("A"), u8("B", 1))', 'struct("S", u8(("A"), 1))', 'raw_meta(("A"), VALUE8)', 'u8("A" text, 1)', 'raw_meta("A" text, VALUE8)',
        'u8_array(("A"), x->bytes, 1)', 'u8("A" n, 1)')],
    ('u8("f\\0g", 1)', 'without a NUL: "f\\0g"', BOTH),
    ('u8("\\0", 1)', 'without a NUL: "\\0"', BOTH),
    ('u8_array("f\\0g", x->bytes, 1)', 'without a NUL: "f\\0g"', BOTH),
    ('struct("f\\0g", u8("A", 1))', 'without a NUL: "f\\0g"', BOTH),
    ('raw_meta("f\\0g", VALUE8)', 'without a NUL: "f\\0g"', BOTH),
    ('raw_struct("f\\0g", 0)', 'without a NUL: "f\\0g"', BOTH),
    ('u8("A", 1, tag(0x10000))', 'the tag of field "A" is a constant', BOTH),
    ('u8("A", 1, tag(-1))', 'the tag of field "A" is a constant', BOTH),
    ('u8("A", 1, tag(n))', 'the tag of field "A" is a constant', BOTH),
    ('u8("A", 1, tag())', 'the tag of field "A" is a constant', BOTH),
    ('u8("A", 1, format(128))', 'the format of field "A" is', BOTH),
    ('u8("A", 1, tag(1), format(128))', 'the format of field "A" is', BOTH),
    ('u8("A", 1, format(n))', 'the format of field "A" is', BOTH),
    ('u8_array("A", x->bytes, 1, tag(0x10000))', 'the tag of field "A" is a constant', BOTH),
    ('struct("A", tag(0x10000), u8("B", 1))', 'the tag of field "A" is a constant', BOTH),
    ('raw_struct("A", 1, tag(0x10000))', 'the tag of field "A" is a constant', BOTH),
    *[(f'raw_{what}', 'raw field "A" takes an encoding such as VALUE8', BOTH) for what in (
        'meta("A", 0x83)', 'meta("A", 0x42)', 'meta("A", 0)', 'meta("A", 1)', 'meta("A", 14)', 'meta("A", n)', 'meta_slice("A", 0x83)',
        'field("A", 0x83, x->bytes, 1)', 'meta_array("A", 0x83, 1)', 'field_array("A", 0x83, 1, x->bytes, 1)')],
    *[(f'raw_struct{what}', 'raw struct "A" takes a constant number of fields', BOTH) for what in (
        '("A", 128)', '("A", -1)', '("A", n)', '_slice("A", 128)', '_array("A", 128, 1)')],
    ('debug(1)', "or it has too many arguments", BOTH),
    ('struct("S", u8("A", 1), debug())', "options of the event do not belong into a struct", BOTH),
    *[(f'struct("S", {words})', "options of the event do not belong into a struct", BOTH) for words in (
        'u8("A", 1), level(3)', 'keyword(3), u8("A", 1)', 'u8("A", 1), tag(3)', 'tag(1), tag(2), u8("A", 1)', 'u8("A", 1), task(3)')],
    *[(f'struct("S", raw_struct{words}, u8("A", 1))', "a raw struct does not belong into a struct(...)", BOTH) for words in (
        '("Field", 1)', '_slice("Field", 1)', '_array("Field", 1, 1)')],
    ('struct("S", struct("T", raw_struct("Field", 1)))', "a raw struct does not belong into a struct(...)", BOTH),
    (f'struct("S", {MANY})', 'struct "S" must have 1 to 127 fields', BOTH),
    ('struct("S")', 'struct "S" must have 1 to 127 fields', BOTH),
    ('struct("S", raw_data(x->bytes, 1))', 'struct "S" must have 1 to 127 fields', BOTH),
    (deep(9), 'struct "S9" is in 8 others', BOTH),
    (f'u8("A", 1), {deep(12)}', 'struct "S9" is in 8 others', BOTH),
]
# Errors of the compiler itself.
NATIVE = [
    ("level(LOUD)", "LOUD"),
    ('u8("A", 1, format(BIG))', "BIG"),
    ('raw_meta("A", HUGE_VALUE)', "HUGE_VALUE"),
]
WHOLE = [
    ('CAIRN_WRITE_EVENT(p, text)', "an event's name must be a string literal without a NUL: text", BOTH),
    ('CAIRN_WRITE_EVENT(p)', "an event's name must be a string literal", BOTH),
    ('CAIRN_WRITE_EVENT(p, u8("A", 1))', "an event's name must be a string literal", BOTH),
    ('CAIRN_WRITE_EVENT(p, "Name" u8("A", 1))', 'without a NUL: "Name" u8("A", 1)', BOTH),
    ('CAIRN_WRITE_EVENT(p, , u8("A", 1))', "an event's name must be a string literal", BOTH),
    ('CAIRN_WRITE_EVENT(p, "a\\0b", u8("A", 1))', 'an event\'s name must be a string literal without a NUL: "a\\0b"', BOTH),
    ('CAIRN_WRITE_EVENT(*no_provider, "Name")', "the first argument is the name of a provider", BOTH),
    *[(text, "the first argument is the name of a provider", BOTH) for text in (
        'CAIRN_WRITE_EVENT(n, "Name")', 'CAIRN_WRITE_EVENT()', 'CAIRN_WRITE_EVENT(, "Name")', 'CAIRN_WRITE_EVENT("Name", u8("A", 1))',
        'CAIRN_WRITE_EVENT(p "Name")', 'CAIRN_WRITE_EVENT(&p, "Name")', 'CAIRN_PROVIDER_ENABLED(n, WARNING, 1)',
        'CAIRN_PROVIDER_ENABLED(, WARNING, 1)', 'CAIRN_PROVIDER_ENABLED()')],
    *[(f'CAIRN_PROVIDER_ENABLED(p{level})', "level(...) takes", BOTH) for level in (", n, 1", ", 0, 1", ", 300, 1", ', , 1', "")],
    ('CAIRN_PROVIDER_ENABLED(p, "a", 1)', "level_takes_a_name_such_as_WARNING_or_a_constant_from_1_to_255", BOTH),
    *[(f'CAIRN_PROVIDER_ENABLED(p, WARNING{keyword})', "keyword(...) takes a constant integer", BOTH)
      for keyword in (", n", ", text", ", -1", ", ", "")],
    ('CAIRN_PROVIDER_ENABLED(p, WARNING, 1, 2)', "CAIRN_PROVIDER_ENABLED(provider, level, keyword) has too many arguments", BOTH),
]
PROVIDERS = [
    ('"Name", group("g")', "a provider takes group_name(...) and options(...)", BOTH),
    ('"Name", options("A"), options("B")', "each once: p", BOTH),
    ('"Name", group_name("a"), options("A"), group_name("b")', "each once: p", BOTH),
    ('"Name", id("1"), group_id("2"), id("3")', "each once: p", BOTH),
    ('"Name", group_name("g"), options("B"), 0', "a provider takes group_name", BOTH),
    ('"Name", "g"', "only_options_such_as_group_name_may_follow_the_name_of_a_provider", BOTH),
    ('"Name", group_name("g"), -1', "only_options_such_as_group_name_may_follow_the_name_of_a_provider", BOTH),
    ('""', "a provider's name has 1 to 199 bytes", BOTH),
    ('name', "a provider's name must be a string literal without a NUL: name", BOTH),
    ('"Name" group_name("g")', "a provider's name must be a string literal without a NUL:", BOTH),
    ('"Name", group_name(g)', 'group_name(...) and options(...) of provider "Name" take a string literal', BOTH),
    ('"Name", group_name("g") options("A")', 'group_name(...) and options(...) of provider "Name" take a string literal', BOTH),
    ('"Name", group_name("g", "h")', "each once: p", BOTH),
    ('"My Name"', 'no spaces, colons, semicolons or control characters: "My Name"', BOTH),
    ('" "', 'no spaces, colons, semicolons or control characters: " "', BOTH),
    ('"a:b"', 'control characters: "a:b"', BOTH),
    ('"a;b"', 'control characters: "a;b"', BOTH),
    ('"a\\tb"', 'control characters: "a\\tb"', BOTH),
    ('"a\\177"', 'control characters: "a\\177"', BOTH),
    (f'"{"N" * 170} "', "control characters:", BOTH),
    ('"a\\0b"', 'without a NUL: "a\\0b"', BOTH),
    ('"Name", group_name("Group")', 'the group_name of provider "Name"', BOTH),
    ('"Name", group_name("a b")', 'the group_name of provider "Name"', BOTH),
    *[(f'"Name", group_name("g"), options("A{c}")', 'the options of provider "Name"', BOTH) for c in ("/", ":", "@", "[", "`", "{", "\\x80")],
    *[(f'"Name", group_name("g{c}")', 'the group_name of provider "Name"', BOTH) for c in ("/", ":", "A", "Z", "`", "{", "\\377")],
    ('"Name", options("A b")', 'the options of provider "Name"', BOTH),
    (f'"{"N" * 150}", options("A{"x" * 49}")', "a provider's name has 1 to 199 bytes, with its options", BOTH),
]
# The text is a whole definition.
DEFINITIONS = [
    *[(f'CAIRN_PROVIDER{what}("p", "Name");\n', "cairn__a_name_for_a_variable_belongs_here__not__") for what in ("", "_INLINE")],
    ('CAIRN_PROVIDER_DECLARE("p");\n', "cairn__a_name_for_a_variable_belongs_here__not__"),
    ('CAIRN_PROVIDER(, "Name");\n', "cairn: a provider's variable has no name"),
    *[(f'CAIRN_PROVIDER{what};\n', "cairn: a provider's variable has no name, or not an identifier as its name: ") for what in (
        '(5, "Name")', '(a-b, "Name")', '(a b, "Name")', '_INLINE(5, "Name")', '_DECLARE(5)', '_DECLARE()', '_DECLARE(a b)')],
    ("CAIRN_PROVIDER();\n", "cairn: a provider's variable has no name"),
]
GOOD_PROVIDERS = [
    f'"{"N" * 150}", group_name("g"), options("A{"x" * 47}")',
    '"Name", group_name("abcdefghijklmnopqrstuvwxyz0123456789"), options("AaBzZ09YZABCDEFGHIJKLMNOPQRSTUVWXYZ")',
    '"My-Company.Net\\303\\244", group_id("1", 2), options("AoneZ"), id("3"), group_name("web2")',
]
# Valid events, compiled together with the mistakes.
SHOWN = [
    ('CAIRN_PROVIDER_ENABLED(p, 3, 1u << 31) + CAIRN_PROVIDER_ENABLED(p, CAIRN_LEVEL_ERROR, GREEN)', '', BOTH),
    ('CAIRN_WRITE_EVENT(p, "Name", keyword(3), bool8("A", n > 1), debug(), str8("B", text))', 'signature _1 _TEXT', BOTH),
    ('CAIRN_WRITE_EVENT(p, "Name", debug(), keyword(3), bool8("A", n > 1))', "| (3)", BOTH),
    (f'CAIRN_WRITE_EVENT(p, "Name", {MANY}, debug(), struct("S", tag(1), str8("B", text)))', r'"B" "\0\12"', BOTH),
]


def compiled(root, compiler, text, how="-fsyntax-only"):
    """Returns (accepted, output)."""
    limit = "-fmax-errors=0" if "g" in compiler[:1] else "-ferror-limit=0"
    done = subprocess.run([compiler, "-x", COMPILERS[compiler], "-O2", limit, f"-I{root / 'include'}", how, "-", "-o", "/dev/null"],
                          input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=600, check=False)
    return not done.returncode, done.stdout


def says(root, compiler, text):
    """Returns the compiler's output, or an empty text if it accepts the program."""
    accepted, output = compiled(root, compiler, text)
    return "" if accepted else output or "nothing"


def plain(text):
    """Removes the quotation marks and backslashes that a compiler adds to a sentence."""
    return text.replace("\\\\", "\\").replace('\\"', '"').replace("\\'", "'").replace("\\000", "\\0")


def sentences(said):
    """Returns cairn's sentence in the first error on each line."""
    found = {}
    for line, error in re.findall(r"(?:^|\n)<stdin>:(\d+):\d+: (?:fatal )?error: ([^\n]*)", said):
        sentence = re.search(r"cairn(: |__).*", plain(error))
        # Not after a false condition, which clang prints unless it is a number.
        found.setdefault(int(line), sentence.group(0) if sentence and "due to requirement" not in error else "")
    return found


def pastings(said):
    """Returns the errors on each line about names that cannot be pasted."""
    found = {}
    for line, error in re.findall(r"(?:^|\n)<stdin>:(\d+):\d+: (?:fatal )?error: (pasting [^\n]*)", said):
        found.setdefault(int(line), []).append(error)
    return found


def is_helpful(sentence, wanted):
    """Each argument of a mistake is "Field", or the error names it."""
    return wanted in sentence and not re.search("cairn_i_|CAIRN_I_", sentence) and \
        not ("Field" in wanted and "Field" not in sentence)


def bad_events():
    yield from ((f'CAIRN_WRITE_EVENT(p, "Name", {text})', wanted) for text, wanted, _ in BAD)
    yield from ((text, wanted) for text, wanted, _ in WHOLE)


def alone(root, compiler, text):
    return next(iter(sentences(says(root, compiler, text)).values()), "")


def check_events(root, compiler):
    """Compiles all mistakes in one program, each on a line; a mistake that the compiler misses after others is compiled alone."""
    cases = share(bad_events(), *SHARES[compiler])
    first_line = PROGRAM.count("\n") + 1
    said = says(root, compiler, PROGRAM + "".join(function(i, text) for i, (text, _) in enumerate(cases)))
    found, pasted = sentences(said), pastings(said)
    for line, (text, wanted) in enumerate(cases, first_line):
        sentence = found.get(line, "")
        if not is_helpful(sentence, wanted):
            sentence = alone(root, compiler, program(text))
        if not is_helpful(sentence, wanted):
            yield f"{text}\n  wanted: {wanted}\n  found: {sentence or says(root, compiler, program(text))[:500]}"
        if re.search("CAIRN_I_", "".join(pasted.get(line, []))):
            yield f"{text}\n  a later error has an internal name: {pasted[line]}"


def check_providers(root, compiler):
    """The same for providers: `p` in the sentences is the provider's variable."""
    cases = PROVIDERS
    lines = [PROVIDER.format(text).replace("(p,", f"(p{i},", 1) for i, (text, _, _) in enumerate(cases)]
    found = sentences(says(root, compiler, INCLUDE + "".join(lines) + "".join(text for text, _ in DEFINITIONS)))
    for line, (text, wanted) in enumerate(DEFINITIONS, len(lines) + 2):
        if not is_helpful(found.get(line, ""), wanted):
            yield f"{text}  wanted: {wanted}\n  found: {found.get(line)}"
    for i, (text, wanted, _) in enumerate(cases):
        sentence = found.get(i + 2, "")
        if not is_helpful(sentence, re.sub(r"\bp$", f"p{i}", wanted)):
            sentence = alone(root, compiler, INCLUDE + PROVIDER.format(text))
            if not is_helpful(sentence, wanted):
                said = says(root, compiler, INCLUDE + PROVIDER.format(text))
                yield f"{text}\n  wanted: {wanted}\n  found: {sentence or said[:500]}"


def check_others(root, compiler):
    native = says(root, compiler, PROGRAM + "".join(function(i, f'CAIRN_WRITE_EVENT(p, "Name", {text})') for i, (text, _) in enumerate(NATIVE)))
    for text, word in NATIVE:
        if word not in native:
            yield f"{text}: the error does not contain {word}"
    providers = "".join(PROVIDER.format(text).replace("(p,", f"(good{i},", 1) for i, text in enumerate(GOOD_PROVIDERS))
    valid = PROGRAM + providers + "".join(function(i, text) for i, (text, _, _) in enumerate(SHOWN))
    accepted, said = compiled(root, compiler, valid, "-S")
    if not accepted:
        yield f"{valid}\n  is valid, but has the error {said[:500]}"
    said = plain(said)
    for text, wanted, _ in SHOWN:
        if wanted not in said:
            yield f"{text}: the output does not contain {wanted}"


def main(root):
    root = pathlib.Path(root).resolve()
    compilers = list(filter(shutil.which, COMPILERS))
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [(compiler, pool.submit(lambda *args, check=check: list(check(*args)), root, compiler))
                for compiler in compilers for check in (check_events, check_providers, check_others)]
        for compiler, job in jobs:
            for what in job.result():
                bad += 1
                print(f"{compiler}: {what}")
    print(f"{len(list(bad_events())) + len(PROVIDERS) + len(DEFINITIONS)} mistakes, {len(compilers)} compilers, {bad} bad")
    return bad or not compilers


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
