/* SPDX-License-Identifier: MIT */
/*
 * Finds the fields for whose values a print format has names (flags, symbolic values, strings of
 * the kernel at an address), for output formats that show the value and its name. A field may be
 * printed by several adjacent pieces.
 */
#include "decode/print.h"

#include "decode/print_eval.h"
#include "decode/print_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SEVERAL UINT32_MAX        /* fields */
#define NONE    (UINT32_MAX - 1u) /* no field */

static uint32_t merge(uint32_t a, uint32_t b)
{
    if (a == NONE || a == b)
        return b;
    return b == NONE ? a : SEVERAL;
}

/* The one field that a node is computed from. */
static uint32_t field_of(const struct decode_print *print, uint32_t index)
{
    const struct decode_print_node *node = &print->nodes[index];
    uint32_t field = NONE;

    if (node->op == DECODE_PRINT_FIELD)
        return (uint32_t)node->value;
    if (node->op == DECODE_PRINT_DYNAMIC || node->op == DECODE_PRINT_DYNAMIC_LENGTH)
        return SEVERAL;
    for (unsigned n = 0; n < 4; n++) {
        if (node->child[n])
            field = merge(field, field_of(print, node->child[n]));
    }
    return field;
}

/* True if a text consists of names only, including those in conditions and constants. */
static bool has_names(const struct decode_print *print, uint32_t index)
{
    const struct decode_print_node *node = &print->nodes[index];

    if (node->op == DECODE_PRINT_CONDITION)
        return has_names(print, node->child[1]) && has_names(print, node->child[2]);
    return node->op == DECODE_PRINT_FLAGS || node->op == DECODE_PRINT_SYMBOLIC ||
           node->op == DECODE_PRINT_STRING;
}

/* True if some of it comes from flags or symbolic values. */
static bool has_symbols(const struct decode_print *print, uint32_t index)
{
    const struct decode_print_node *node = &print->nodes[index];

    if (node->op == DECODE_PRINT_CONDITION)
        return has_symbols(print, node->child[1]) || has_symbols(print, node->child[2]);
    return node->op == DECODE_PRINT_FLAGS || node->op == DECODE_PRINT_SYMBOLIC;
}

/* True if a text is the string at an address that a field has. */
static bool is_kernel_string(const struct decode_print *print, uint32_t index)
{
    const struct decode_print_node *node = &print->nodes[index];

    return node->op == DECODE_PRINT_FIELD &&
           print->fields[node->value].kind == CAIRN_FIELD_POINTER &&
           !print->fields[node->value].is_array;
}

static bool is_named(const struct decode_print *print, uint32_t field)
{
    for (uint32_t n = 0; n < print->named_count; n++) {
        if (print->named[n].field == field)
            return true;
    }
    return false;
}

/* Returns the field whose names a piece shows. */
static uint32_t field_of_piece(const struct decode_print *print,
                               const struct decode_print_piece *piece)
{
    uint32_t field;

    if (piece->conversion != 's' ||
        !(has_names(print, piece->argument) || is_kernel_string(print, piece->argument)))
        return NONE;
    field = field_of(print, piece->argument);
    return field == SEVERAL ? NONE : field;
}

int decode_print_find_named(struct decode_print *print)
{
    print->named =
        (struct decode_print_named *)calloc(print->piece_count + 1u, sizeof(*print->named));
    if (!print->named)
        return ENOMEM;
    for (uint32_t n = 0; n < print->piece_count; n++) {
        uint32_t field = field_of_piece(print, &print->pieces[n]);
        struct decode_print_named *last = &print->named[print->named_count];

        if (field == NONE)
            continue;
        if (print->named_count && last[-1].field == field && !print->pieces[n].before.length &&
            last[-1].piece + last[-1].piece_count == n) {
            last[-1].piece_count++;
            continue;
        }
        /* A condition only tests the field; it does not name its value. */
        if (!is_named(print, field) && (has_symbols(print, print->pieces[n].argument) ||
                                        is_kernel_string(print, print->pieces[n].argument))) {
            *last = (struct decode_print_named){field, n, 1};
            print->named_count++;
        }
    }
    return 0;
}

uint32_t decode_print_named_count(const struct decode_print *print)
{
    return print->named_count;
}

struct cairn_slice decode_print_named_field(const struct decode_print *print, uint32_t index)
{
    return print->fields[print->named[index].field].name;
}

/* A value without a name is printed in hexadecimal, flags that are not set not at all. */
static bool is_name(const char *text, size_t length)
{
    static const char null[] = "(null)";

    return length && !(length > 1 && text[0] == '0' && text[1] == 'x') &&
           !(length == strlen(null) && !memcmp(text, null, length));
}

int decode_print_named_text(const struct decode_print *print, uint32_t index,
                            const struct decode_print_record *record, char *text,
                            uint32_t *ret_length)
{
    const struct decode_print_named *named = &print->named[index];
    struct decode_print_run run = {
        .print = print,
        .record = record,
        .at = text,
        .end = text + DECODE_PRINT_TEXT_MAX_BYTES,
    };

    for (uint32_t n = 0; n < named->piece_count; n++)
        decode_print_put_string(&run, print->pieces[named->piece + n].argument);
    if (run.is_cut)
        return EBADMSG;
    if (!is_name(text, (size_t)(run.at - text)))
        return ENOENT;
    *ret_length = (uint32_t)(run.at - text);
    return 0;
}
