/* SPDX-License-Identifier: MIT */
/*
 * Fields of CTF as fields of EventHeader: definitions and values, in the byte order of this
 * machine.
 *
 *   integers, floats, booleans   the same; the base 16 is hexadecimal
 *   enumerations                 the number, and a field NAME_label: the names of its ranges
 *   strings, arrays of text      strings up to their first NUL
 *   structures                   structs; an empty one is null
 *   arrays, sequences            arrays; of hexadecimal bytes: bytes. Arrays of arrays, and of
 *                                elements that differ: structs
 *   variants                     structs of one member, the option that is selected
 *   options                      their field, or null
 *
 * The field that has the length of a sequence is left out if it is named _NAME_length.
 */
#ifndef CTF_FIELDS_H
#define CTF_FIELDS_H

#include "ctf/library.h"
#include "perf_data/bytes.h"

#include <stdbool.h>

#define CTF_DEPTH_MAX  16u
#define CTF_HIDDEN_MAX 8u

struct ctf_fields {
    const struct ctf_library *bt;
    struct cairn_bytes *definitions;
    struct cairn_bytes *values;
    unsigned depth;
    int error; /* E2BIG: EventHeader cannot express them */

    /* Members that are shown elsewhere. */
    const bt_field_class_structure_member *hidden[CTF_HIDDEN_MAX];
    unsigned hidden_count;
};

/* Adds a definition's head, with a format, or 0: that of the encoding. */
void ctf_fields_define(struct ctf_fields *fields, const char *name, uint8_t encoding,
                       uint8_t format);

/* Leaves out a member of a structure from now on. */
void ctf_fields_hide(struct ctf_fields *fields, const bt_field_class_structure_member *member);

/* Adds the members of a structure, or as one field: nothing if it is NULL or has none. */
void ctf_fields_add_members(struct ctf_fields *fields, const bt_field *structure);
void ctf_fields_add_structure(struct ctf_fields *fields, const char *name,
                              const bt_field *structure);

static inline bool ctf_is(bt_field_class_type type, bt_field_class_type kind)
{
    return (type & kind) == kind;
}

#endif
