/* SPDX-License-Identifier: MIT */
/* Writes the constant text of a plan's events once, in each style. */
#include "decode/plan.h"
#include "decode/style.h"

#include <errno.h>
#include <stdlib.h>

const struct cairn_style_writer *const cairn_style_writers[CAIRN_STYLE_COUNT] = {
    [CAIRN_STYLE_JSON] = &cairn_style_json,
    [CAIRN_STYLE_JSONL] = &cairn_style_jsonl,
    [CAIRN_STYLE_TEXT] = &cairn_style_text,
};

/* Ends a text that began at the end of the previous one; its final address is not known yet. */
static void end_text(const struct cairn_output *scratch, size_t *end, struct cairn_slice *ret_text)
{
    size_t begin = *end;

    *end = (size_t)(scratch->at - scratch->begin);
    ret_text->length = (uint32_t)(*end - begin);
}

static size_t write_texts(struct cairn_plan *plan, struct cairn_output *scratch)
{
    size_t end = 0;

    scratch->at = scratch->begin;
    scratch->error = 0;
    for (int style = 0; style < CAIRN_STYLE_COUNT; style++) {
        const struct cairn_style_writer *writer = cairn_style_writers[style];

        writer->write_head(scratch, &plan->type);
        end_text(scratch, &end, &plan->heads[style]);
        if (writer->write_tail)
            writer->write_tail(scratch, &plan->type);
        end_text(scratch, &end, &plan->tails[style]);
        for (uint32_t n = 0; n < plan->field_count; n++) {
            writer->write_key(scratch, &plan->fields[n].item);
            end_text(scratch, &end, &plan->fields[n].keys[style]);
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
static void place_texts(struct cairn_plan *plan)
{
    const char *at = plan->texts;

    for (int style = 0; style < CAIRN_STYLE_COUNT; style++) {
        place(&at, &plan->heads[style]);
        place(&at, &plan->tails[style]);
        for (uint32_t n = 0; n < plan->field_count; n++)
            place(&at, &plan->fields[n].keys[style]);
    }
}

static bool is_plain(const struct cairn_plan *plan)
{
    for (uint32_t n = 0; n < plan->field_count; n++) {
        const struct cairn_plan_field *field = &plan->fields[n];

        if (field->kind != CAIRN_PLAN_VALUE || field->array != CAIRN_PLAN_SINGLE ||
            field->location != CAIRN_PLAN_NEXT)
            return false;
    }
    return true;
}

int cairn_plan_write_texts(struct cairn_plan *plan, struct cairn_output *scratch)
{
    size_t size = write_texts(plan, scratch);

    if (!scratch->error)
        plan->texts = (char *)calloc(1, size + CAIRN_OUTPUT_PADDING_BYTES);
    if (!plan->texts)
        return ENOMEM;
    memcpy(plan->texts, scratch->begin, size);
    place_texts(plan);
    plan->is_plain = is_plain(plan);
    return 0;
}
