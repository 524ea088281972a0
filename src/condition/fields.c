/* SPDX-License-Identifier: MIT */
/*
 * Reads the metadata of a type of events once, and compares each field with the names in a filter.
 * The same rules as those of src/decode/layout_eventheader.c, so that a filter selects the same
 * events when it is applied to a recording.
 */
#include "condition/fields.h"
#include "core/cursor.h"

#include <cairn/eventheader_abi.h>

/* A field's definition. */
struct field_definition {
    const char *name;
    size_t name_length; /* without attributes */
    uint8_t encoding;
    uint8_t format;
    bool is_array;
    uint16_t count; /* of an array; 0: it is in the data */
};

/* The extent of an encoding's values. */
enum field_extent { FIXED, TERMINATED, LENGTH16 };

static const struct {
    uint8_t extent;
    uint8_t unit;
} encodings[] = {
#define ENCODING(name, number, extent, unit) [CAIRN_ENCODING_##name] = {extent, unit},
    CAIRN_I_ENCODINGS(ENCODING)
#undef ENCODING
};

static size_t without_attributes(const char *name, size_t length)
{
    size_t at = 0;

    while (at < length && name[at] != ';')
        at++;
    return at;
}

static void take_definition(struct core_cursor *c, struct field_definition *d)
{
    uint8_t array;

    *d = (struct field_definition){0};
    d->name = core_cursor_string(c, &d->name_length);
    d->name_length = without_attributes(d->name, d->name_length);
    d->encoding = core_cursor_u8(c);
    d->format = d->encoding & CAIRN_ENCODING_CHAIN ? core_cursor_u8(c) : 0;
    if (d->format & CAIRN_FORMAT_CHAIN)
        (void)core_cursor_u16(c);
    array = d->encoding & (CAIRN_ENCODING_CARRAY | CAIRN_ENCODING_VARRAY);
    if (array == CAIRN_ENCODING_CARRAY)
        d->count = core_cursor_u16(c);
    d->is_array = array != 0;
    d->encoding &= CAIRN_ENCODING_VALUE_MASK;
    d->format &= CAIRN_FORMAT_VALUE_MASK;
    if (array == (CAIRN_ENCODING_CARRAY | CAIRN_ENCODING_VARRAY) ||
        (array == CAIRN_ENCODING_CARRAY && !d->count) || !d->encoding ||
        d->encoding >= CAIRN_ENCODING_MAX || (d->encoding == CAIRN_ENCODING_STRUCT && !d->format))
        core_cursor_fail(c, EBADMSG);
}

/* ---- steps ---- */

static struct condition_step *add_step(struct condition_fields *f, enum condition_step_kind kind)
{
    static struct condition_step none;

    if (f->step_count == f->step_max) {
        f->is_broken = true;
        return &none;
    }
    f->steps[f->step_count] = (struct condition_step){.kind = (uint8_t)kind};
    return &f->steps[f->step_count++];
}

/* Bytes that nobody wants are skipped together. */
static void add_skip(struct condition_fields *f, uint32_t bytes)
{
    struct condition_step *last = f->step_count ? &f->steps[f->step_count - 1] : NULL;

    if (last && last->kind == CONDITION_STEP_SKIP)
        bytes += (uint32_t)last->target << 16 | last->count;
    else
        last = add_step(f, CONDITION_STEP_SKIP);
    last->count = (uint16_t)bytes;
    last->target = (uint16_t)(bytes >> 16);
}

static void begin_loop(struct condition_fields *f, uint16_t count)
{
    add_step(f, CONDITION_STEP_LOOP)->count = count;
    f->loops++;
}

static void end_loop(struct condition_fields *f, uint32_t loop)
{
    (void)add_step(f, CONDITION_STEP_END);
    if (!f->is_broken)
        f->steps[loop].target = (uint16_t)f->step_count;
    f->loops--;
}

/* ---- wanted fields ---- */

/* True if a name of the filter leads to this field, or to an element of it. Sets the index of the
 * element. */
static uint32_t match(struct condition_fields *f, uint32_t n, const struct field_definition *d)
{
    struct cairn_slice word = f->names->names[n];
    uint32_t at = f->matched[f->depth][n];
    uint32_t index;

    if (at != CONDITION_NO_MATCH)
        at = condition_name_match(word, at, d->name, d->name_length);
    if (at == CONDITION_NO_MATCH || !d->is_array)
        return at;
    at = f->loops < CONDITION_INDEXES_MAX ? condition_name_index(word, at, &index)
                                          : CONDITION_NO_MATCH;
    if (at != CONDITION_NO_MATCH)
        f->indexes[n][f->loops] = (uint16_t)index;
    return at;
}

static void want(struct condition_fields *f, uint32_t n, const struct field_definition *d)
{
    struct condition_want *w = &f->wants[n];
    enum condition_value value = condition_value_of(d->encoding, d->format);
    uint8_t sizes = 0;

    if (value == CONDITION_UNKNOWN)
        value = condition_counted_number(d->format, &sizes);
    f->is_wanted[n] = true;
    f->is_unknown |= value == CONDITION_UNKNOWN;
    f->has_counted_number |= sizes != 0;
    *w = (struct condition_want){
        .step = (uint16_t)f->step_count,
        .value = (uint8_t)value,
        .depth = (uint8_t)(f->loops + d->is_array),
        .size_bytes = encodings[d->encoding].unit,
        .sizes = sizes,
    };
    for (uint32_t i = 0; i < CONDITION_INDEXES_MAX; i++)
        w->indexes[i] = f->indexes[n][i];
}

/* Compares a value with the names. True: it is wanted, in the next step. */
static bool look_for(struct condition_fields *f, const struct field_definition *d)
{
    bool is_wanted = false;

    for (uint32_t n = 0; n < f->names->count; n++) {
        if (match(f, n, d) != f->names->names[n].length)
            continue;
        want(f, n, d);
        is_wanted = true;
    }
    return is_wanted;
}

/* ---- values ---- */

static void add_value(struct condition_fields *f, const struct field_definition *d, bool is_wanted)
{
    uint8_t unit = encodings[d->encoding].unit;

    switch (encodings[d->encoding].extent) {
    case TERMINATED:
        add_step(f, CONDITION_STEP_TERMINATED)->unit = unit;
        break;
    case LENGTH16:
        add_step(f, CONDITION_STEP_COUNTED)->unit = unit;
        break;
    default:
        if (is_wanted)
            add_step(f, CONDITION_STEP_FIXED)->unit = unit;
        else
            add_skip(f, unit);
        break;
    }
}

/* The step with the wanted elements is the next one, or the one in the loop. */
static void add_array(struct condition_fields *f, const struct field_definition *d, bool is_wanted)
{
    uint8_t unit = encodings[d->encoding].unit;
    uint32_t loop = f->step_count;
    struct condition_step *step;

    if (encodings[d->encoding].extent == FIXED && d->count && !is_wanted) {
        add_skip(f, (uint32_t)unit * d->count);
        return;
    }
    if (encodings[d->encoding].extent == FIXED) {
        step = add_step(f, CONDITION_STEP_ARRAY);
        step->unit = unit;
        step->count = d->count;
        return;
    }
    begin_loop(f, d->count);
    add_value(f, d, is_wanted);
    end_loop(f, loop);
    for (uint32_t n = 0; n < f->names->count; n++)
        f->wants[n].step += f->is_wanted[n] && f->wants[n].step == loop;
}

static void note_data(struct condition_fields *f)
{
    for (uint32_t i = 0; i < f->depth; i++)
        f->open[i].has_data = true;
}

/* ---- structs ---- */

static bool open_struct(struct condition_fields *f, const struct field_definition *d)
{
    struct condition_open_struct *open = &f->open[f->depth];

    if (f->depth == CONDITION_DEPTH_MAX)
        return false;
    for (uint32_t n = 0; n < f->names->count; n++) {
        uint32_t at = match(f, n, d);

        f->matched[f->depth + 1][n] =
            at == CONDITION_NO_MATCH ? at : condition_name_member(f->names->names[n], at);
    }
    *open = (struct condition_open_struct){
        .members_left = d->format, .is_loop = d->is_array, .step = (uint16_t)f->step_count};
    f->depth++;
    if (d->is_array)
        begin_loop(f, d->count);
    return true;
}

/* Elements without data could be any number: such an array, and what follows, is invalid. */
static void close_struct(struct condition_fields *f)
{
    const struct condition_open_struct *open = &f->open[--f->depth];

    if (!open->is_loop)
        return;
    end_loop(f, open->step);
    f->is_broken |= !open->has_data;
}

static void close_complete_structs(struct condition_fields *f, bool is_end)
{
    while (f->depth && (!f->open[f->depth - 1].members_left || is_end))
        close_struct(f);
}

/* ---- the fields ---- */

static void add_field(struct condition_fields *f, const struct field_definition *d)
{
    bool is_wanted;

    if (f->depth)
        f->open[f->depth - 1].members_left--;
    if (d->is_array && !d->count)
        note_data(f);
    if (d->encoding == CAIRN_ENCODING_STRUCT) {
        f->is_broken |= !open_struct(f, d);
        return;
    }
    note_data(f);
    is_wanted = look_for(f, d);
    if (d->is_array)
        add_array(f, d, is_wanted);
    else
        add_value(f, d, is_wanted);
}

/* In a broken loop nothing can be found: what it contains is forgotten. */
static void forget_from(struct condition_fields *f, uint32_t step)
{
    f->step_count = step;
    for (uint32_t n = 0; n < f->names->count; n++)
        f->is_wanted[n] &= f->wants[n].step < step;
}

static uint32_t outermost_loop(const struct condition_fields *f)
{
    for (uint32_t i = 0; i < f->depth; i++) {
        if (f->open[i].is_loop)
            return f->open[i].step;
    }
    return f->step_count;
}

void condition_read_fields(struct condition_fields *f, const void *metadata, size_t metadata_bytes)
{
    struct core_cursor c = core_cursor(metadata, metadata_bytes, false);
    size_t length;

    for (uint32_t n = 0; n < f->names->count; n++)
        f->matched[0][n] = 0;
    (void)core_cursor_string(&c, &length); /* the event's name */
    while (c.left && !c.error && !f->is_broken) {
        uint32_t outermost = outermost_loop(f);
        struct field_definition d;

        take_definition(&c, &d);
        if (!c.error)
            add_field(f, &d);
        close_complete_structs(f, !c.left);
        if (f->is_broken)
            forget_from(f, outermost);
    }
}
