/* SPDX-License-Identifier: MIT */
/* Test of filters that contradict themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cairn/filter.h>
#include <cairn/select.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void contradictions_are_found(void **state)
{
    static const char *const filters[] = {
        "Number > 5 && Number < 3",
        "Number == 5 && Number == 6",
        "Number >= 3 && Number < 3",
        "Number > 3 && Number < 4",
        "Number == 3 && Number != 3",
        "!(Number > 3) && Number > 3",
        "(a == 1 || a == 2) && a == 3",
        "a < -3 && a > 3",
        "a > -1 && a < -3",
        "Number > 5 && Name == \"x\" && Number < 3",
        "Owner.User == 1 && Owner.User == 2",
        "Counts[2] == 1 && Counts[2] == 2",
        "Name == \"a\" && Name == \"b\"",
        "Name == \"a\" && Name != \"a\"",
        "Name ~ \"ab*\" && Name == \"b\"",
        "Name ~ \"ab*\" && Name ~ \"b*\"",
        "comm == \"a\" && comm == \"b\"",
        "level == 1 && level == 2 || pid == 1 && pid == 2",
    };

    (void)state;
    for (size_t n = 0; n < sizeof(filters) / sizeof(*filters); n++) {
        if (cairn_filter_is_possible(filters[n]))
            fail_msg("%s", filters[n]);
    }
}

static void what_some_event_may_have_is_possible(void **state)
{
    static const char *const filters[] = {
        "Number > 5",
        "Number > 3 && Number < 5",
        "a == 5 && a == 261", /* of a byte: numbers are truncated to its bits */
        "a > 300 && a < 200",
        "a == 300 && a == 44",
        "a == 1 && b == 2",
        "a > 5 || b < 3 && b > 4",
        "a & 3 && a == 4",
        "a > 9223372036854775808 && a < 3",
        "Counts[1] == 1 && Counts[2] == 2",
        "Name ~ \"ab*\" && Name == \"abc\"",
        "Name ~ \"*a\" && Name == \"b\"", /* not examined */
        "Name ~ \"ab*\" && Name ~ \"abc*\"",
        "Name ~ \"abc*\" && Name != \"abc\"",
        "Name != \"a\" && Name != \"b\"",
        "CPU == 1 && CPU == 2", /* not examined */
        "a >",                  /* invalid, which is another question */
    };

    (void)state;
    for (size_t n = 0; n < sizeof(filters) / sizeof(*filters); n++) {
        if (!cairn_filter_is_possible(filters[n]))
            fail_msg("%s", filters[n]);
    }
}

/* ---- random filters, compared with the engine ---- */

#define EVENT_BYTES (CAIRN_COMMON_BYTES + 16u)

static uint32_t draw(uint32_t count)
{
    static uint64_t seed = 88172645463325252u;

    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32) % count;
}

static void write_filter(char *text, size_t size)
{
    static const char *const operators[] = {"==", "!=", "<", "<=", ">", ">="};
    static const int numbers[] = {-300, -129, -2, -1, 0, 1, 2, 127, 128, 200, 255, 256, 257, 300};
    uint32_t terms = 2 + draw(4);
    size_t at = 0;

    for (uint32_t n = 0; n < terms; n++)
        at += (size_t)snprintf(text + at, size - at, "%s%s%c %s %d%s",
                               !n        ? ""
                               : draw(3) ? " && "
                                         : " || ",
                               draw(4) ? "" : "!", draw(2) ? 'a' : 'b', operators[draw(6)],
                               numbers[draw(sizeof(numbers) / sizeof(*numbers))], "");
}

/* Numbers near the limits of each type. */
static uint64_t draw_value(void)
{
    static const int64_t near[] = {-300, -129, -2, 0, 2, 127, 200, 255, 257, 300, 32767, 65535};

    return (uint64_t)(near[draw(sizeof(near) / sizeof(*near))] + (int64_t)draw(5) - 2);
}

static struct cairn_field field_of(const char *name, uint32_t offset)
{
    return (struct cairn_field){
        .type = {"u64", 3},
        .name = {name, 1},
        .offset = CAIRN_COMMON_BYTES + offset,
        .size_bytes = 1u << draw(4),
        .is_signed = draw(2) != 0,
    };
}

/* True if the engine selects one of some events of some types. */
static bool selects_any(const char *text)
{
    struct cairn_field fields[] = {field_of("a", 0), field_of("b", 8)};
    const struct cairn_schema schema = {.fields = fields, .field_count = 2};
    uint64_t memory[512];
    struct cairn_filter_error error;
    struct cairn_filter *filter;

    if (cairn_filter_compile(&schema, text, strlen(text), memory, sizeof(memory), &filter, &error))
        return false; /* a negative number for a field without a sign */
    for (int n = 0; n < 200; n++) {
        uint8_t raw[EVENT_BYTES] = {0};
        const uint64_t values[] = {draw_value(), draw_value()};

        memcpy(raw + CAIRN_COMMON_BYTES, values, sizeof(values));
        if (cairn_filter_match(filter, raw, sizeof(raw), NULL))
            return true;
    }
    return false;
}

static void what_contradicts_itself_selects_no_event_of_any_type(void **state)
{
    char text[256];
    int contradictions = 0;

    (void)state;
    for (int n = 0; n < 5000; n++) {
        write_filter(text, sizeof(text));
        if (cairn_filter_is_possible(text))
            continue;
        contradictions++;
        for (int type = 0; type < 8; type++) {
            if (selects_any(text))
                fail_msg("%s", text);
        }
    }
    assert_true(contradictions > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contradictions_are_found),
        cmocka_unit_test(what_some_event_may_have_is_possible),
        cmocka_unit_test(what_contradicts_itself_selects_no_event_of_any_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
