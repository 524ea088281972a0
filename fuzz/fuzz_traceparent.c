/* SPDX-License-Identifier: MIT */
/* Fuzzes the parser of traceparent texts: an accepted text is formatted and parsed to the same
 * context. */
#include <cairn/tracing/context.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text, const struct cairn_trace_context *context)
{
    struct cairn_trace_context again;
    char written[CAIRN_TRACEPARENT_BYTES];

    cairn_trace_context_format(context, written);
    assert(strlen(written) + 1 == sizeof(written));
    assert(strlen(text) >= strlen(written) && !memcmp(text + 2, written + 2, sizeof(written) - 3));
    assert(memcmp(text, "00", 2) != 0 || !strcmp(text, written));
    assert(!cairn_trace_context_parse(written, &again));
    assert(!memcmp(&again, context, sizeof(again)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cairn_trace_context context;
    char *text = malloc(size + 1);
    int error;

    assert(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    error = cairn_trace_context_parse(text, &context);
    assert(!error || error == EINVAL);
    if (!error)
        check(text, &context);
    free(text);
    return 0;
}
