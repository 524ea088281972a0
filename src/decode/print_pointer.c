/* SPDX-License-Identifier: MIT */
/* The kernel's forms of %p: addresses, symbols, UUIDs, MAC addresses, bytes. */
#include "decode/print_eval.h"

#include <string.h>

static void put_address(struct decode_print_run *run, uint64_t address)
{
    if (address)
        decode_print_put_hex(run, address);
    else
        decode_print_put(run, "(nil)", 5);
}

void decode_print_put_symbol(struct decode_print_run *run, char form, uint64_t address)
{
    const struct decode_print_record *record = run->record;
    const char *name;
    uint64_t offset;

    if (!record->resolve || !record->resolve(record->kernel, address, &name, &offset)) {
        decode_print_put_hex(run, address);
        return;
    }
    decode_print_put(run, name, strlen(name));
    if (form == 's' || form == 'f')
        return;
    decode_print_put_char(run, '+');
    decode_print_put_hex(run, offset);
}

/* "%pUb" and "%pUl": of big and of little endian parts; upper case makes no difference to perf. */
static bool put_uuid(struct decode_print_run *run, char form, struct decode_print_value value)
{
    static const uint8_t little[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    bool is_little = (form | 0x20) == 'l';

    if (!value.data || value.bytes < 16)
        return false;
    for (unsigned n = 0; n < 16; n++) {
        if (n == 4 || n == 6 || n == 8 || n == 10)
            decode_print_put_char(run, '-');
        decode_print_put_number(run, value.data[is_little ? little[n] : n], 16, 2);
    }
    return true;
}

static bool put_mac(struct decode_print_run *run, const char *form, struct decode_print_value value)
{
    bool is_reversed = strchr(form, 'R');
    char between = strchr(form, 'F') ? '-' : ':';

    if (!value.data || value.bytes < 6)
        return false;
    for (unsigned n = 0; n < 6; n++) {
        if (n && form[0] == 'M')
            decode_print_put_char(run, between);
        decode_print_put_number(run, value.data[is_reversed ? 5 - n : n], 16, 2);
    }
    return true;
}

/* "%*ph": as many bytes as the width says, at most 64. */
static bool put_dump(struct decode_print_run *run, char form, struct decode_print_value value,
                     uint32_t count)
{
    char between = form == 'C' ? ':' : form == 'D' ? '-' : form == 'N' ? 0 : ' ';

    if (!count)
        count = 1;
    if (count > 64)
        count = 64;
    if (!value.data || value.bytes < count)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        if (n && between)
            decode_print_put_char(run, between);
        decode_print_put_number(run, value.data[n], 16, 2);
    }
    return true;
}

static bool put_data(struct decode_print_run *run, const struct decode_print_piece *piece,
                     struct decode_print_value value, uint32_t width)
{
    const char *form = piece->extension;

    switch (form[0]) {
    case 'I':
    case 'i':
        return decode_print_put_network(run, form, value);
    case 'U':
        return put_uuid(run, form[1], value);
    case 'M':
    case 'm':
        return put_mac(run, form, value);
    case 'h':
        return put_dump(run, form[1], value, width);
    default:
        put_address(run, value.number);
        return true;
    }
}

void decode_print_put_pointer(struct decode_print_run *run, const struct decode_print_piece *piece,
                              struct decode_print_value value, uint32_t width)
{
    switch (piece->extension[0]) {
    case 'S':
    case 's':
    case 'F':
    case 'f':
    case 'B':
        decode_print_put_symbol(run, piece->extension[0], value.number);
        break;
    default:
        if (!put_data(run, piece, value, width))
            run->is_cut = true;
        break;
    }
}
