/* SPDX-License-Identifier: MIT */
/* Writes the constant text of a layout's events once, in each style. */
#include "decode/layout.h"
#include "decode/style.h"

#include <errno.h>
#include <stdlib.h>

const struct cairn_style_writer *const cairn_style_writers[CAIRN_STYLE_COUNT] = {
    [CAIRN_STYLE_JSON] = &cairn_style_json,
    [CAIRN_STYLE_JSONL] = &cairn_style_jsonl,
    [CAIRN_STYLE_TEXT] = &cairn_style_text,
};

/* Ends a text that began at the end of the previous one; its final address is not known yet. */
static void end_text(const struct cairn_print_output *scratch, size_t *end,
                     struct cairn_slice *ret_text)
{
    size_t begin = *end;

    *end = (size_t)(scratch->at - scratch->begin);
    ret_text->length = (uint32_t)(*end - begin);
}

static size_t write_texts(struct cairn_layout *layout, struct cairn_print_output *scratch)
{
    size_t end = 0;

    scratch->at = scratch->begin;
    scratch->error = 0;
    for (int style = 0; style < CAIRN_STYLE_COUNT; style++) {
        const struct cairn_style_writer *writer = cairn_style_writers[style];

        writer->write_head(scratch, &layout->type);
        end_text(scratch, &end, &layout->heads[style]);
        if (writer->write_tail)
            writer->write_tail(scratch, &layout->type);
        end_text(scratch, &end, &layout->tails[style]);
        for (uint32_t n = 0; n < layout->field_count; n++) {
            writer->write_key(scratch, &layout->fields[n].item);
            end_text(scratch, &end, &layout->fields[n].keys[style]);
        }
    }
    return end;
}

static void place(const char **at, struct cairn_slice *text)
{
    text->text = *at;
    *at += text->length;
}

/* In the order in which they were written. */
static void place_texts(struct cairn_layout *layout)
{
    const char *at = layout->texts;

    for (int style = 0; style < CAIRN_STYLE_COUNT; style++) {
        place(&at, &layout->heads[style]);
        place(&at, &layout->tails[style]);
        for (uint32_t n = 0; n < layout->field_count; n++)
            place(&at, &layout->fields[n].keys[style]);
    }
}

static bool is_plain(const struct cairn_layout *layout)
{
    for (uint32_t n = 0; n < layout->field_count; n++) {
        const struct cairn_layout_field *field = &layout->fields[n];

        if (field->kind != CAIRN_LAYOUT_VALUE || field->array != CAIRN_LAYOUT_SINGLE ||
            field->location != CAIRN_LAYOUT_NEXT)
            return false;
    }
    return true;
}

int cairn_layout_write_texts(struct cairn_layout *layout, struct cairn_print_output *scratch)
{
    size_t size = write_texts(layout, scratch);

    if (!scratch->error)
        layout->texts = (char *)calloc(1, size + CAIRN_OUTPUT_PADDING_BYTES);
    if (!layout->texts)
        return ENOMEM;
    memcpy(layout->texts, scratch->begin, size);
    place_texts(layout);
    layout->is_plain = is_plain(layout);
    return 0;
}
