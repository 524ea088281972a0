/* SPDX-License-Identifier: MIT */
/* 60 events of one source, for Linux and for Windows: what a recording of each shows is the same.
 * Fields that are documented as different (docs/etw.md, "Substitutions") are not here. */
#include <cairn/eventheader.h>
#include <stdbool.h>
#include <stddef.h>
#include <uchar.h>

CAIRN_PROVIDER(both, "Both_Systems");

static const uint8_t u8s[] = {0, 0x7f, 0xfe};
static const uint16_t u16s[] = {1, 0x1234, 0xfffe};
static const uint32_t u32s[] = {1, 0x12345678, 0xfffffffe};
static const uint64_t u64s[] = {1, 0x123456789abcdef0, 0xfffffffffffffffe};
static const int8_t i8s[] = {0, 0x7f, -2};
static const int16_t i16s[] = {1, 0x1234, -2};
static const int32_t i32s[] = {1, 0x12345678, -2};
static const int64_t i64s[] = {1, 0x123456789abcdef0, -2};
static const float f32s[] = {0.5F, -1.25F};
static const double f64s[] = {0.5, -1.25};
static const bool bools[] = {true, false};
static const uint8_t address[] = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
static const uint8_t ipv4_address[] = {192, 0, 2, 1};
static const uint8_t uuids[32] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const struct cairn_guid activity = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
static const struct cairn_guid parent = {{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}};
static const struct cairn_guid *const no_id = NULL;
static const char *const no_text = NULL;

static int failed;

#define WRITE(name, ...) (failed |= CAIRN_WRITE_EVENT(both, name, __VA_ARGS__) != 0)

static void write_options(void)
{
    failed |= CAIRN_WRITE_EVENT(both, "Empty") != 0;
    WRITE("Level1", level(CRITICAL_ERROR), u8("A", 1));
    WRITE("Level2", level(ERROR), u8("A", 1));
    WRITE("Level3", level(WARNING), u8("A", 1));
    WRITE("Level4", level(INFORMATION), u8("A", 1));
    WRITE("Level255", level(255), u8("A", 1));
    WRITE("Keyword0", keyword(0), u8("A", 1));
    WRITE("Keyword63", keyword(0x8000000000000001), u8("A", 1));
    WRITE("Start", opcode(ACTIVITY_START), activity_id(&activity), related_id(&parent), u8("A", 1));
    WRITE("Stop", opcode(ACTIVITY_STOP), activity_id(&activity), u8("A", 1));
    WRITE("NoId", activity_id(no_id), related_id(no_id), u8("A", 1));
    WRITE("Reply", opcode(REPLY), u8("A", 1));
    WRITE("Tag", tag(0x1234), u8("A", 1, tag(0x5678)));
    WRITE("Version", id_version(77, 3), u8("A", 1));
}

static void write_integers(void)
{
    WRITE("Unsigned", u8("A", 200), u16("B", 60000), u32("C", 4000000000), u64("D", UINT64_MAX));
    WRITE("Signed", i8("A", -1), i16("B", -2), i32("C", -3), i64("D", INT64_MIN));
    WRITE("Size", usize("A", 77), isize("B", -77));
    WRITE("Hex8", u8_hex("A", 0xab), i8_hex("B", -1));
    WRITE("Hex16", u16_hex("A", 0xabcd), i16_hex("B", -1));
    WRITE("Hex32", u32_hex("A", 0xabcdef01), i32_hex("B", -1));
    WRITE("Hex64", u64_hex("A", 0xabcdef0123456789), i64_hex("B", -1));
    WRITE("Bytes", u8_slice("A", u8s, 3), i8_slice("B", i8s, 3), u8_array("C", u8s, 3));
    WRITE("Shorts", u16_slice("A", u16s, 3), i16_slice("B", i16s, 3), u16_array("C", u16s, 3));
    WRITE("Words", u32_slice("A", u32s, 3), i32_slice("B", i32s, 3), u32_array("C", u32s, 3));
    WRITE("Longs", u64_slice("A", u64s, 3), i64_slice("B", i64s, 3), u64_array("C", u64s, 3));
    WRITE("HexArrays", u32_hex_slice("A", u32s, 3), u64_hex_array("B", u64s, 3));
    WRITE("NoElements", u32_slice("A", u32s, 0), u8_slice("B", (const uint8_t *)NULL, 3));
}

static void write_others(void)
{
    WRITE("Float", f32("A", 1.5F), f64("B", -2.25), f32_slice("C", f32s, 2));
    WRITE("Floats", f64_slice("A", f64s, 2), f64_array("B", f64s, 2));
    WRITE("Bool8", bool8("A", true), bool8("B", false), bool8_slice("C", bools, 2));
    WRITE("Bool32", bool32("A", 1), bool32("B", 0));
    WRITE("Char", char8_cp1252("A", 'x'), char16("B", u'\u20ac'));
    WRITE("Pointer", pointer("A", (void *)0x12345678), codepointer("B", (uintptr_t)0x1234));
    WRITE("Process", pid("A", 1234), tid("B", 5678));
    WRITE("Windows", win_error("A", 5), hresult("B", -2147467259), win_ntstatus("C", -1073741811));
    WRITE("Time", time32("A", 0), time64("B", 1700000000));
    WRITE("TimeBefore1970", time64("A", -1), time32("B", INT32_MIN));
    WRITE("Systemtime", systemtime("A", ((struct timespec){1700000000, 0})));
    WRITE("Port", port("A", 0xbb01), port_host("B", 443));
    WRITE("Ports", port_host_slice("A", u16s, 3));
    WRITE("Address4", ipv4("A", ipv4_address), ipv4_slice("B", ipv4_address, 1));
    WRITE("Address6", ipv6("A", address), ipv6c("B", address));
    WRITE("Uuid", guid("A", &activity), guid_slice("B", uuids, 2), guid_array("C", uuids, 2));
    WRITE("Binary", binary("A", address, 5), binaryc("B", address, 0));
    WRITE("Socket", socketaddress("A", address, 16), socketaddressc("B", address, 4));
}

static void write_texts(void)
{
    WRITE("Text", str8("A", "some text"), cstr8("B", "Z\xc3\xbcrich"));
    WRITE("TextN", str8_n("A", "some text", 4), cstr8_n("B", "some\0text", 9));
    WRITE("TextEmpty", str8("A", ""), cstr8("B", no_text), str8("C", no_text));
    WRITE("TextCp1252", str8_cp1252("A", "\x80uro"), cstr8_cp1252("B", "caf\xe9"));
    WRITE("Text16", str16("A", u"\u20ac \U0001f600"), cstr16("B", u"plain"));
    WRITE("Text16N", str16_n("A", u"abcdef", 3), cstr16_n("B", u"ab\0def", 6));
    WRITE("Text32", str32("A", U"\u20ac \U0001f600"), cstr32("B", U"plain"));
    WRITE("Text32N", str32_n("A", U"abcdef", 3), cstr32_n("B", U"ab\0def", 6));
    WRITE("Json", str8_json("A", "{\"a\": [1, 2]}"), cstr16_json("B", u"[true]"));
    WRITE("Xml", str8_xml("A", "<a b=\"c\"/>"), cstr32_xml("B", U"<d/>"));
    WRITE("Control", str8("A", "a\tb\n\x01"), str8("B", "\"\\"));
}

static void write_structs(void)
{
    WRITE("Struct", struct("S", u32("A", 1), str8("B", "in it")), u8("After", 2));
    WRITE("Nested",
          struct("S", struct("T", u8("A", 1), struct("U", str16("B", u"deep"))), u8("C", 2)));
    WRITE("StructTag", struct("S", tag(7), u32_slice("A", u32s, 3)), f64("B", 0.1));
    WRITE("Many", u8("A", 1), u8("B", 2), u8("C", 3), u8("D", 4), u8("E", 5), u8("F", 6),
          u8("G", 7), u8("H", 8), str8("I", "nine"), u8("J", 10));
}

int main(void)
{
    if (cairn_provider_register(&both))
        return 1;
    write_options();
    write_integers();
    write_others();
    write_texts();
    write_structs();
    return cairn_provider_unregister(&both) || failed;
}
