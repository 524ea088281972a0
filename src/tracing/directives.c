/* SPDX-License-Identifier: MIT */
/* Matches directives with call sites and spans. */
#include "tracing/directives_internal.h"
#include "tracing/value_text.h"

#include <math.h>
#include <string.h>

static struct cairn_slice target_of(const struct cairn_callsite *site)
{
    return (struct cairn_slice){site->target, site->target_bytes};
}

/* Index of the field with this name, or the number of fields. */
static uint32_t find_field(const struct cairn_callsite *site, struct cairn_slice name)
{
    uint32_t i = 0;

    while (i < site->field_count && !core_slice_equal(core_slice_of(site->fields[i]), name))
        i++;
    return i;
}

static bool has_fields(const struct tracing_directive *directive, const struct cairn_callsite *site)
{
    for (uint32_t i = 0; i < directive->field_count; i++)
        if (find_field(site, directive->fields[i].name) == site->field_count)
            return false;
    return true;
}

static bool is_under(const struct tracing_directive *directive, const struct cairn_callsite *site)
{
    struct cairn_slice target = target_of(site);

    return target.length >= directive->target.length &&
           core_slice_equal(core_slice_first(target, directive->target.length), directive->target);
}

/* True if a directive in brackets names this span, without regard to the values of fields. */
static bool names_span(const struct tracing_directive *directive, const struct cairn_callsite *site)
{
    if (site->kind != CAIRN_CALLSITE_SPAN || !has_fields(directive, site) ||
        !is_under(directive, site))
        return false;
    return !directive->span.length || core_slice_equal(directive->span, core_slice_of(site->name));
}

/* True if a directive applies to a call site independently of spans: it has no brackets, or only
 * names of fields in them, which the event itself then has. */
static bool names_site(const struct tracing_directive *directive, const struct cairn_callsite *site)
{
    if (directive->is_of_spans && (site->kind != CAIRN_CALLSITE_EVENT || !directive->is_of_fields))
        return false;
    return is_under(directive, site) && has_fields(directive, site);
}

bool tracing_directive_fits(const struct tracing_directive *directive,
                            const struct cairn_callsite *site)
{
    return names_site(directive, site) || (directive->is_of_spans && names_span(directive, site));
}

/* The longer target has precedence, then more fields, then the later directive. */
static const struct tracing_directive *closer(const struct tracing_directive *old,
                                              const struct tracing_directive *next)
{
    if (!old)
        return next;
    if (next->target.length != old->target.length)
        return next->target.length > old->target.length ? next : old;
    return next->field_count >= old->field_count ? next : old;
}

enum tracing_verdict tracing_directives_judge(const struct cairn_directives *directives,
                                              const struct cairn_callsite *site)
{
    const struct tracing_directive *closest = NULL;
    enum tracing_verdict verdict = TRACING_VERDICT_NO;

    if (!directives)
        return TRACING_VERDICT_YES;
    for (uint32_t i = 0; i < directives->count; i++) {
        const struct tracing_directive *d = &directives->list[i];

        if (names_site(d, site))
            closest = closer(closest, d);
        if (!d->is_of_spans)
            continue;
        if (d->level > CAIRN_TRACING_OFF && names_span(d, site))
            return TRACING_VERDICT_YES; /* a span that is not recorded could not be found later */
        if (site->level <= d->level)
            verdict = TRACING_VERDICT_IN_SOME_SPANS;
    }
    return closest && site->level <= closest->level ? TRACING_VERDICT_YES : verdict;
}

/* ---- values ---- */

#define DOUBLE_IS_EXACT_BELOW 9007199254740992.0 /* 2^53 */

static bool is_integer(const struct tracing_directive_field *field, bool is_negative,
                       uint64_t magnitude)
{
    double number = (double)magnitude;

    if (field->is_integer)
        return field->magnitude == magnitude && (field->is_negative == is_negative || !magnitude);
    return field->is_number && number < DOUBLE_IS_EXACT_BELOW &&
           field->number == (is_negative ? -number : number);
}

static bool is_float(const struct tracing_directive_field *field, uint64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof(number));
    return field->is_number && (number == field->number || (isnan(number) && isnan(field->number)));
}

/* Compares with counted bytes, which are written as lower-case hexadecimal digits. */
static bool is_hex(const struct tracing_directive_field *field,
                   const struct cairn_tracing_value *value)
{
    const uint8_t *byte = value->of.data;
    char digits[3];

    if (field->value.length != 2 * (uint64_t)value->data_bytes)
        return false;
    for (uint32_t i = 0; i < value->data_bytes; i++) {
        tracing_hex_text(byte + i, 1, digits);
        if (memcmp(field->value.text + 2 * (size_t)i, digits, 2) != 0)
            return false;
    }
    return true;
}

static bool is_text(const struct tracing_directive_field *field,
                    const struct cairn_tracing_value *value)
{
    char text[TRACING_VALUE_TEXT_BYTES];
    struct cairn_slice shown = {text, 0};

    shown.length = (uint32_t)tracing_value_text(value, text);
    return core_slice_equal(shown, field->value);
}

static bool is_value(const struct tracing_directive_field *field,
                     const struct cairn_tracing_value *value)
{
    const struct cairn_slice text = {value->of.data, value->data_bytes};
    uint64_t bits = value->of.bits;

    switch ((enum cairn_tracing_kind)value->kind) {
    case CAIRN_KIND_NONE:
        return false;
    case CAIRN_KIND_SIGNED:
    case CAIRN_KIND_ERRNO:
        return is_integer(field, (int64_t)bits < 0, (int64_t)bits < 0 ? -bits : bits);
    case CAIRN_KIND_UNSIGNED:
        return is_integer(field, false, bits);
    case CAIRN_KIND_FLOAT:
        return is_float(field, bits);
    case CAIRN_KIND_TEXT:
        return core_slice_equal(text, field->value);
    case CAIRN_KIND_BYTES:
        return is_hex(field, value);
    default:
        return is_text(field, value);
    }
}

static bool has_value(const struct cairn_span *span, const struct tracing_directive_field *field)
{
    uint32_t index = find_field(cairn_span_callsite(span), field->name);
    struct cairn_tracing_value value = cairn_span_value(span, index);

    return is_value(field, &value);
}

static bool is_in(const struct tracing_directive *directive, const struct cairn_span *span)
{
    if (!names_span(directive, cairn_span_callsite(span)))
        return false;
    for (uint32_t i = 0; i < directive->field_count; i++)
        if (directive->fields[i].has_value && !has_value(span, &directive->fields[i]))
            return false;
    return true;
}

uint8_t tracing_directives_level_in(const struct cairn_directives *directives,
                                    const struct cairn_span *span)
{
    uint8_t level = CAIRN_TRACING_OFF;

    if (!directives || !directives->are_of_spans)
        return level;
    for (uint32_t i = 0; i < directives->count; i++) {
        const struct tracing_directive *d = &directives->list[i];

        if (d->is_of_spans && d->level > level && is_in(d, span))
            level = d->level;
    }
    return level;
}

/* ---- values that change ---- */

bool tracing_directives_ask_values(const struct cairn_directives *directives)
{
    return directives && directives->ask_values;
}

static bool distinguishes(const struct tracing_directive *directive, struct cairn_slice name,
                          const struct cairn_tracing_value *a, const struct cairn_tracing_value *b)
{
    for (uint32_t i = 0; i < directive->field_count; i++) {
        const struct tracing_directive_field *field = &directive->fields[i];

        if (field->has_value && core_slice_equal(field->name, name) &&
            is_value(field, a) != is_value(field, b))
            return true;
    }
    return false;
}

bool tracing_directives_distinguish(const struct cairn_directives *directives,
                                    const struct cairn_callsite *site, uint32_t index,
                                    const struct cairn_tracing_value *a,
                                    const struct cairn_tracing_value *b)
{
    struct cairn_slice name = core_slice_of(site->fields[index]);

    if (!tracing_directives_ask_values(directives))
        return false;
    for (uint32_t i = 0; i < directives->count; i++) {
        const struct tracing_directive *d = &directives->list[i];

        if (d->is_of_spans && names_span(d, site) && distinguishes(d, name, a, b))
            return true;
    }
    return false;
}
