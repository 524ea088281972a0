/* SPDX-License-Identifier: MIT */
/* What directives let through. */
#include "tracing/directives_internal.h"
#include "tracing/value_text.h"

#include <string.h>

/* target, or target::..., target/..., target.... */
static bool is_under(struct cairn_slice target, struct cairn_slice directive)
{
    struct cairn_slice rest;

    if (!cairn_slice_starts(target, directive))
        return false;
    rest = cairn_slice_after(target, directive.length);
    return !directive.length || !rest.length || rest.text[0] == '/' || rest.text[0] == '.' ||
           cairn_slice_starts(rest, CAIRN_SLICE("::"));
}

static struct cairn_slice target_of(const struct cairn_callsite *site)
{
    return (struct cairn_slice){site->target, site->target_bytes};
}

/* Where a field of this name is, or the number of fields. */
static uint32_t find_field(const struct cairn_callsite *site, struct cairn_slice name)
{
    uint32_t i = 0;

    while (i < site->field_count && !cairn_slice_equal(cairn_slice_of(site->fields[i]), name))
        i++;
    return i;
}

/* Whether a span's place is what a directive speaks of: its name, and that it has the fields. */
static bool names_span(const struct cairn_directive *directive, const struct cairn_callsite *site)
{
    if (site->kind != CAIRN_CALLSITE_SPAN)
        return false;
    if (directive->span.length && !cairn_slice_equal(directive->span, cairn_slice_of(site->name)))
        return false;
    for (uint32_t i = 0; i < directive->field_count; i++)
        if (find_field(site, directive->fields[i].name) == site->field_count)
            return false;
    return true;
}

enum cairn_verdict cairn_directives_judge(const struct cairn_directives *directives,
                                          const struct cairn_callsite *site)
{
    const struct cairn_directive *closest = NULL;
    enum cairn_verdict verdict = CAIRN_VERDICT_NO;

    if (!directives)
        return CAIRN_VERDICT_YES;
    for (uint32_t i = 0; i < directives->count; i++) {
        const struct cairn_directive *d = &directives->list[i];

        if (!is_under(target_of(site), d->target))
            continue;
        if (!d->is_of_spans) {
            if (!closest || d->target.length >= closest->target.length)
                closest = d;
        } else if (d->level > CAIRN_TRACING_OFF && names_span(d, site)) {
            return CAIRN_VERDICT_YES; /* without it nobody could know of the span later */
        } else if (site->level <= d->level) {
            verdict = CAIRN_VERDICT_IN_SOME_SPANS;
        }
    }
    return closest && site->level <= closest->level ? CAIRN_VERDICT_YES : verdict;
}

static bool has_value(const struct cairn_span *span, const struct cairn_directive_field *field)
{
    uint32_t index = find_field(cairn_span_callsite(span), field->name);
    struct cairn_tracing_value value = cairn_span_value(span, index);
    char text[CAIRN_VALUE_TEXT_BYTES];
    struct cairn_slice shown = {text, 0};

    if (value.kind == CAIRN_KIND_TEXT)
        shown = (struct cairn_slice){value.of.data, value.data_bytes};
    else
        shown.length = (uint32_t)cairn_value_text(&value, text);
    return value.kind != CAIRN_KIND_NONE && cairn_slice_equal(shown, field->value);
}

static bool is_in(const struct cairn_directive *directive, const struct cairn_span *span)
{
    if (!names_span(directive, cairn_span_callsite(span)))
        return false;
    for (uint32_t i = 0; i < directive->field_count; i++)
        if (directive->fields[i].has_value && !has_value(span, &directive->fields[i]))
            return false;
    return true;
}

bool cairn_directives_match(const struct cairn_directives *directives,
                            const struct cairn_callsite *site, const struct cairn_span *span)
{
    if (!directives)
        return true;
    for (uint32_t i = 0; i < directives->count; i++) {
        const struct cairn_directive *d = &directives->list[i];

        if (!d->is_of_spans || site->level > d->level || !is_under(target_of(site), d->target))
            continue;
        for (const struct cairn_span *s = span; s; s = cairn_span_parent(s))
            if (is_in(d, s))
                return true;
    }
    return false;
}
