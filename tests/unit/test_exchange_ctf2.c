/* SPDX-License-Identifier: MIT */
/* Metadata of CTF 2, and of 1.8: names of fields of any number and length. */
#include "exchange/ctf_metadata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS     4u
#define NAME_BYTES 60000u
#define MANY       4000u

static struct cairn_exporter exporter;
static struct export_print_output metadata;

static int open_outputs(void **state)
{
    (void)state;
    return export_output_open(&exporter.text, -1) || export_output_open(&metadata, -1);
}

static int close_outputs(void **state)
{
    (void)state;
    export_output_close(&exporter.text);
    export_output_close(&metadata);
    return 0;
}

/* Each byte of a name becomes a character of three bytes. */
static void names_longer_than_a_buffer_are_whole(void **state)
{
    static char name[NAME_BYTES];
    struct decode_layout_field fields[FIELDS] = {{.kind = DECODE_LAYOUT_VALUE}};
    struct decode_layout layout = {.field_count = FIELDS, .fields = fields};
    const char *at;
    size_t found = 0;

    (void)state;
    memset(name, 0xff, sizeof(name));
    for (uint32_t n = 0; n < FIELDS; n++) {
        fields[n] = fields[0];
        fields[n].item.name = (struct cairn_slice){name, NAME_BYTES - n};
    }
    exchange_ctf2_metadata.put_class(&exporter, &metadata, &layout, 1, EXCHANGE_CTF_PLAIN);
    export_output_byte(&metadata, 0);
    assert_int_equal(metadata.error, 0);
    for (at = metadata.begin; (at = strstr(at, "\"name\":\"\xef\xbf\xbd")); found++)
        at += 8 + strspn(at + 8, "\xef\xbf\xbd");
    assert_int_equal(found, FIELDS);
    assert_int_equal(exporter.counts.notes[CAIRN_EXPORTER_NAMES], 0);
}

/* With numbers one after the other it would take an hour. */
static void thousands_of_fields_of_one_name_take_a_second(void **state)
{
    struct decode_layout layout = {.field_count = MANY};
    struct decode_layout_field *fields = calloc(MANY, sizeof(*fields));

    (void)state;
    assert_non_null(fields);
    layout.fields = fields;
    metadata.at = metadata.begin;
    for (uint32_t n = 0; n < MANY; n++) {
        fields[n].kind = DECODE_LAYOUT_VALUE;
        fields[n].item.name = (struct cairn_slice){"a", 1};
    }
    exchange_ctf2_metadata.put_class(&exporter, &metadata, &layout, 1, EXCHANGE_CTF_PLAIN);
    exchange_ctf1_metadata.put_class(&exporter, &metadata, &layout, 1, EXCHANGE_CTF_PLAIN);
    assert_int_equal(metadata.error, 0);
    assert_int_equal(exporter.counts.notes[CAIRN_EXPORTER_NAMES], 2 * (MANY - 1));
    free(fields);
}

/* libbabeltrace2 compares a name with those before it as they are without their underline. */
static void names_of_ctf_1_differ_also_without_their_underline(void **state)
{
    struct decode_layout_field fields[6] = {{.kind = DECODE_LAYOUT_VALUE}};
    static const char *const names[] = {"_a", "a", "x", "x_length", "y", "y_length"};
    const struct decode_layout layout = {.field_count = 6, .fields = fields};

    (void)state;
    for (uint32_t n = 0; n < 6; n++)
        fields[n].item.name = (struct cairn_slice){names[n], (uint32_t)strlen(names[n])};
    fields[2].array = DECODE_LAYOUT_COUNTED;
    metadata.at = metadata.begin;
    exchange_ctf1_metadata.put_class(&exporter, &metadata, &layout, 1, EXCHANGE_CTF_PLAIN);
    export_output_byte(&metadata, 0);
    assert_int_equal(metadata.error, 0);
    assert_non_null(strstr(metadata.begin, " __a;\n"));
    assert_non_null(strstr(metadata.begin, " _a_2;\n"));
    assert_non_null(strstr(metadata.begin, " _x[__x_length];\n"));
    assert_non_null(strstr(metadata.begin, " _x_length_2;\n"));
    assert_non_null(strstr(metadata.begin, " _y;\n"));
    assert_non_null(strstr(metadata.begin, " _y_length;\n")); /* y has none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_longer_than_a_buffer_are_whole),
        cmocka_unit_test(thousands_of_fields_of_one_name_take_a_second),
        cmocka_unit_test(names_of_ctf_1_differ_also_without_their_underline),
    };

    return cmocka_run_group_tests(tests, open_outputs, close_outputs);
}
