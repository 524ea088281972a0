/* SPDX-License-Identifier: MIT */
/* Places that a compiler must take without a word, and a linker must not lose. */
#include "good.h"
#include "good_header.h"

#include <errno.h>
#include <stdlib.h>

CAIRN_PROVIDER(compile_provider, "Compile");

static int write_two_on_a_line(void)
{
    /* clang-format off */
    return (CAIRN_WRITE_EVENT(compile_provider, "Left") != 0) + (CAIRN_WRITE_EVENT(compile_provider, "Right") != 0);
    /* clang-format on */
}

static int write_twenty_fields(uint16_t n)
{
    return CAIRN_WRITE_EVENT(
        compile_provider, "Twenty", u8("A", 1), u16("B", n), u32("C", n), u64("D", n), i8("E", -1),
        i16("F", -1), i32("G", -1), i64("H", -1), f32("I", 0.5F), f64("J", 0.5), bool8("K", n > 1),
        str8("L", "text"), cstr8("M", "text"), port("N", n), errno("O", ENOENT), pid("P", 1),
        time64("Q", 1), pointer("R", &n), u8_hex("S", 255), binary("T", &n, sizeof(n)));
}

static int write_nested(const char *text)
{
    return CAIRN_WRITE_EVENT(
        compile_provider, "Nested", level(WARNING), keyword(0x8000000000000000),
        struct("Outer", str8("A", text),
               struct("Middle", tag(1), str8("B", text),
                      struct("Inner", str8("C", text), errno("D", 1)), u8("E", 5))),
        u8("F", 6));
}

/* As statements: braces left out, the value unused. */
static int write_as_statement(int which)
{
    if (which)
        CAIRN_WRITE_EVENT(compile_provider, "Then", id_version(1, 2));
    else
        CAIRN_WRITE_EVENT(compile_provider, "Else", opcode(REPLY), tag(3));
    return 0;
}

static int write_with_activity(void)
{
    struct cairn_guid id;
    int is_enabled = CAIRN_PROVIDER_ENABLED(compile_provider, VERBOSE, 1);

    cairn_activity_id_generate(&id);
    return !is_enabled + (CAIRN_WRITE_EVENT(compile_provider, "Activity", activity_id(&id),
                                            related_id(&id), guid("Id", &id)) != 0);
}

/* Nobody calls it: with --gc-sections it goes, and what stays of its place disturbs nobody. */
int write_never(void);
int write_never(void)
{
    return CAIRN_WRITE_EVENT(compile_provider, "Never", level(CRITICAL_ERROR));
}

int write_good_events(int *ret_expected)
{
    int failed = cairn_provider_register(&compile_provider) != 0;

    failed += cairn_provider_register(&compile_header_provider) != 0;
    failed += write_two_on_a_line();
    failed += write_twenty_fields(2) != 0;
    failed += write_nested("text") != 0;
    failed += write_as_statement(0) + write_as_statement(1);
    failed += write_with_activity();
    failed += write_static_inline(1) != 0;
    failed += write_second_file();
    failed += write_to_header_provider() != 0;
    *ret_expected = 16;
#ifdef __cplusplus
    failed += write_cpp_inline(1) != 0;
    failed += write_template(1) != 0;
    failed += write_template(static_cast<short>(1)) != 0;
    failed += writer().write() != 0;
    *ret_expected += 7;
#endif
    failed += cairn_provider_unregister(&compile_header_provider) != 0;
    return failed + (cairn_provider_unregister(&compile_provider) != 0);
}
