/* SPDX-License-Identifier: MIT */
/* Reads the context of events that `cairn export` wrote. */
#include "ctf/own.h"
#include "ctf/fields.h"

#include <string.h>

static const char *const numbers[] = {"keyword", "id", "tag", "level", "opcode", "version"};
static const char *const ids[] = {"activity", "related_activity"};

#define NUMBER_COUNT (sizeof(numbers) / sizeof(*numbers))
#define ID_COUNT     (sizeof(ids) / sizeof(*ids))

static bool is_of_cairn(const struct ctf_library *bt, const bt_trace *trace)
{
    const bt_value *value =
        bt->bt_trace_borrow_environment_entry_value_by_name_const(trace, "tracer_name");

    return value && bt->bt_value_get_type(value) == BT_VALUE_TYPE_STRING &&
           !strcmp(bt->bt_value_string_get(value), "cairn");
}

/* The member of this position, name and type, or NULL. */
static const bt_field *member_of(const struct ctf_library *bt, const bt_field *context,
                                 uint64_t index, const char *name, bt_field_class_type type)
{
    const bt_field_class_structure_member *member =
        bt->bt_field_class_structure_borrow_member_by_index_const(
            bt->bt_field_borrow_class_const(context), index);
    const bt_field *field =
        bt->bt_field_structure_borrow_member_field_by_index_const(context, index);

    if (strcmp(bt->bt_field_class_structure_member_get_name(member), name) != 0)
        return NULL;
    return bt->bt_field_class_get_type(bt->bt_field_borrow_class_const(field)) == type ? field
                                                                                       : NULL;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads "00000000-0000-0000-0000-000000000000". False: it is something else. */
static bool read_uuid(const char *text, uint8_t uuid[CAIRN_ACTIVITY_ID_BYTES])
{
    for (unsigned i = 0; i < CAIRN_ACTIVITY_ID_BYTES; i++) {
        int high;
        int low;

        if (i == 4 || i == 6 || i == 8 || i == 10) {
            if (*text++ != '-')
                return false;
        }
        high = digit_of(text[0]);
        low = high < 0 ? -1 : digit_of(text[1]);
        if (low < 0)
            return false;
        uuid[i] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    return !*text;
}

static bool read_numbers(const struct ctf_library *bt, const bt_field *context,
                         uint64_t values[NUMBER_COUNT])
{
    for (unsigned i = 0; i < NUMBER_COUNT; i++) {
        const bt_field *field =
            member_of(bt, context, i, numbers[i], BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER);

        if (!field)
            return false;
        values[i] = bt->bt_field_integer_unsigned_get_value(field);
        if (i && values[i] > (i < 3 ? UINT16_MAX : UINT8_MAX))
            return false;
    }
    return true;
}

static bool read_ids(const struct ctf_library *bt, const bt_field *context, struct ctf_own *own)
{
    uint8_t *const to[ID_COUNT] = {own->activity, own->related};
    bool *const has[ID_COUNT] = {&own->has_activity, &own->has_related};

    for (unsigned i = 0; i < ID_COUNT; i++) {
        const bt_field *field =
            member_of(bt, context, NUMBER_COUNT + i, ids[i], BT_FIELD_CLASS_TYPE_STRING);
        const char *text = field ? bt->bt_field_string_get_value(field) : "?";

        *has[i] = *text != '\0';
        if (*has[i] && !read_uuid(text, to[i]))
            return false;
    }
    return true;
}

bool ctf_own_read(const struct ctf_library *bt, const bt_trace *trace, const bt_field *context,
                  struct ctf_own *ret_own)
{
    uint64_t values[NUMBER_COUNT];
    struct ctf_own own = {0};

    if (!context || !is_of_cairn(bt, trace) ||
        bt->bt_field_class_structure_get_member_count(bt->bt_field_borrow_class_const(context)) !=
            NUMBER_COUNT + ID_COUNT)
        return false;
    if (!read_numbers(bt, context, values) || !read_ids(bt, context, &own))
        return false;
    own.keyword = values[0];
    own.header = (struct cairn_eventheader){
        .id = (uint16_t)values[1],
        .tag = (uint16_t)values[2],
        .level = (uint8_t)values[3],
        .opcode = (uint8_t)values[4],
        .version = (uint8_t)values[5],
    };
    *ret_own = own;
    return true;
}
