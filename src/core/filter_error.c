/* SPDX-License-Identifier: MIT */
/* Error messages of filters. Words and layout are Linux's: programs search for them. */
#include "core/filter.h"
#include "core/text.h"

/* In the order of enum cairn_filter_error_kind. */
static const char reasons[] = "Invalid operator\0"
                              "Too many '('\0"
                              "Too few '('\0"
                              "Missing matching quote\0"
                              "Missing '{'\0"
                              "Missing '}'\0"
                              "Operand too long\0"
                              "Expecting string field\0"
                              "Expecting numeric field\0"
                              "Illegal operation for field type\0"
                              "Field not found\0"
                              "Illegal integer value\0"
                              "Too many terms in predicate expression\0"
                              "Meaningless filter expression\0"
                              "Invalid cpulist\0"
                              "Invalid value (did you forget quotes)?\0"
                              "Function not found\0"
                              "Error\0"
                              "No filter found\0"
                              "Couldn't find or set field in one of a subsystem's events\0";

const char *cairn_filter_reason(enum cairn_filter_error_kind kind)
{
    if ((uint32_t)kind > CAIRN_FILTER_BAD_SYSTEM)
        kind = CAIRN_FILTER_UNSPECIFIC;
    return core_word(reasons, (uint32_t)kind);
}

int core_filter_fail(struct filter_build *build, enum cairn_filter_error_kind kind,
                     uint32_t position)
{
    build->error = (struct cairn_filter_error){position, cairn_filter_reason(kind), kind};
    return EINVAL;
}

bool cairn_filter_text_clears(const char *text, size_t length)
{
    struct cairn_slice s = {text, (uint32_t)length};

    return length < CAIRN_FILTER_TEXT_MAX_BYTES && core_slice_is(core_slice_stripped(s), "0");
}

/* The caret is one column after the position, except for position 0, and stays within the text. */
static void add_caret(struct cairn_text *t, uint32_t position, uint32_t text_length)
{
    core_text_fill(t, ' ', position < text_length ? position : text_length);
    core_text_put(t, "^");
}

int cairn_filter_write_error(const char *text, size_t length,
                             const struct cairn_filter_error *error, char *shown, size_t size_bytes,
                             size_t *ret_length)
{
    struct cairn_text t = cairn_text(shown, size_bytes);
    struct cairn_slice trimmed;

    if (length >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return E2BIG;
    trimmed = core_slice_written((struct cairn_slice){text, (uint32_t)length});
    core_text_add(&t, trimmed);
    core_text_put(&t, "\n");
    if (error->kind == CAIRN_FILTER_UNSPECIFIC) {
        core_text_put(&t, "Error: (0)\n\n");
        return core_text_end(&t, ret_length);
    }
    add_caret(&t, error->position, trimmed.length);
    core_text_put(&t, "\nparse_error: ");
    core_text_put(&t, error->reason);
    core_text_put(&t, "\n\n");
    return core_text_end(&t, ret_length);
}
