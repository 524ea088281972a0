/* SPDX-License-Identifier: MIT */
/* What is said of a bad filter. The words and the shapes are Linux's: programs look for them. */
#include "core/filter.h"

#include "core/text.h"

static const char reasons[][60] = {
    [CAIRN_FILTER_INVALID_OPERATOR] = "Invalid operator",
    [CAIRN_FILTER_TOO_MANY_OPEN] = "Too many '('",
    [CAIRN_FILTER_TOO_MANY_CLOSE] = "Too few '('",
    [CAIRN_FILTER_MISSING_QUOTE] = "Missing matching quote",
    [CAIRN_FILTER_MISSING_BRACE_OPEN] = "Missing '{'",
    [CAIRN_FILTER_MISSING_BRACE_CLOSE] = "Missing '}'",
    [CAIRN_FILTER_OPERAND_TOO_LONG] = "Operand too long",
    [CAIRN_FILTER_EXPECT_STRING] = "Expecting string field",
    [CAIRN_FILTER_EXPECT_DIGIT] = "Expecting numeric field",
    [CAIRN_FILTER_ILLEGAL_FIELD_OPERATION] = "Illegal operation for field type",
    [CAIRN_FILTER_FIELD_NOT_FOUND] = "Field not found",
    [CAIRN_FILTER_ILLEGAL_INTEGER] = "Illegal integer value",
    [CAIRN_FILTER_TOO_MANY_TERMS] = "Too many terms in predicate expression",
    [CAIRN_FILTER_MEANINGLESS] = "Meaningless filter expression",
    [CAIRN_FILTER_INVALID_CPU_LIST] = "Invalid cpulist",
    [CAIRN_FILTER_INVALID_VALUE] = "Invalid value (did you forget quotes)?",
    [CAIRN_FILTER_NO_FUNCTION] = "Function not found",
    [CAIRN_FILTER_UNSPECIFIC] = "Error",
    [CAIRN_FILTER_NO_FILTER] = "No filter found",
    [CAIRN_FILTER_BAD_SYSTEM] = "Couldn't find or set field in one of a subsystem's events",
};

const char *cairn_filter_reason(enum cairn_filter_error_kind kind)
{
    return (size_t)kind < sizeof(reasons) / sizeof(reasons[0]) ? reasons[kind] : "Error";
}

int filter_fail(struct filter_build *build, enum cairn_filter_error_kind kind, uint32_t position)
{
    build->error = (struct cairn_filter_error){position, cairn_filter_reason(kind), kind};
    return EINVAL;
}

bool cairn_filter_text_clears(const char *text, size_t length)
{
    struct cairn_slice s = {text, (uint32_t)length};

    return length < CAIRN_FILTER_TEXT_MAX_BYTES && cairn_slice_is(cairn_slice_stripped(s), "0");
}

/* The caret stands one column further than the position, but for the first, and in the text. */
static void add_caret(struct cairn_text *t, uint32_t position, uint32_t text_length)
{
    uint32_t width = position < text_length ? position : text_length;

    for (uint32_t i = 0; i < width; i++)
        cairn_text_add(t, CAIRN_SLICE(" "));
    cairn_text_add(t, CAIRN_SLICE("^"));
}

int cairn_filter_write_error(const char *text, size_t length,
                             const struct cairn_filter_error *error, char *shown, size_t size_bytes,
                             size_t *ret_length)
{
    struct cairn_text t = cairn_text(shown, size_bytes);
    struct cairn_slice trimmed;

    if (length >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return E2BIG;
    trimmed = cairn_slice_written((struct cairn_slice){text, (uint32_t)length});
    cairn_text_add(&t, trimmed);
    cairn_text_add(&t, CAIRN_SLICE("\n"));
    if (error->kind == CAIRN_FILTER_UNSPECIFIC) {
        cairn_text_add(&t, CAIRN_SLICE("Error: (0)\n\n"));
        return cairn_text_end(&t, ret_length);
    }
    add_caret(&t, error->position, trimmed.length);
    cairn_text_add(&t, CAIRN_SLICE("\nparse_error: "));
    cairn_text_add(&t, cairn_slice_of(error->reason));
    cairn_text_add(&t, CAIRN_SLICE("\n\n"));
    return cairn_text_end(&t, ret_length);
}
