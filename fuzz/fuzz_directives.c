/* SPDX-License-Identifier: MIT */
/* Fuzzes the parser of directives, and their decisions on some call sites and spans. */
#include "tracing/directives.h"

#include <cairn/tracing.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPANS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct cairn_span *spans[SPANS];
static const struct cairn_callsite *events[8];
static size_t event_count;

static void keep_site(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    (void)layer;
    events[event_count++] = event->site;
}

static struct cairn_layer layer = {.event = keep_site};

static void make_sites(void)
{
    static const struct cairn_guid guid = {{1, 2, 3}};
    const bool yes = true;

    CAIRN_ERROR("fuzz_directives");
    CAIRN_WARN((target("net")));
    CAIRN_INFO((target("net::conn"), kv("id", 1)));
    CAIRN_DEBUG((target("net"), kv("id", 1), kv("path", "/")));
    CAIRN_TRACE((target("")));
    spans[0] =
        CAIRN_SPAN(INFO, "request", kv("id", 7), kv("path", "/a,b"), kv("none", cairn_empty()));
    spans[1] = CAIRN_SPAN(TRACE, "request", parent(spans[0]), target("net"), kv("id", -0.5));
    spans[2] = CAIRN_SPAN(DEBUG, "", kv("yes", yes), kv("id", UINT64_MAX), kv("guid", &guid),
                          kv("bytes", cairn_bytes("\xff", 1)));
    spans[3] = CAIRN_SPAN(ERROR, "request", parent(spans[1]), kv("id", ""));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct cairn_subscriber *subscriber;

    (void)argc;
    (void)argv;
    assert(!cairn_subscriber_create(&subscriber));
    assert(!cairn_subscriber_add(subscriber, &layer, NULL));
    assert(!cairn_subscriber_set_global(subscriber));
    make_sites();
    assert(event_count == 5 && spans[SPANS - 1]);
    return 0;
}

static bool matches(const struct cairn_directives *directives, const struct cairn_callsite *site,
                    const struct cairn_span *span)
{
    bool is_in = false;

    for (; span; span = cairn_span_parent(span))
        is_in |= site->level <= tracing_directives_level_in(directives, span);
    return is_in;
}

/* Checks that a rejected call site is rejected in every span, and that repeated directives have the
 * same meaning. */
static void check_site(const struct cairn_directives *once, const struct cairn_directives *twice,
                       const struct cairn_callsite *site)
{
    enum tracing_verdict verdict = tracing_directives_judge(once, site);

    assert(verdict <= TRACING_VERDICT_YES);
    assert(verdict == tracing_directives_judge(twice, site));
    for (size_t i = 0; i < SPANS; i++) {
        bool is_in = matches(once, site, spans[i]);

        assert(is_in == matches(twice, site, spans[i]));
        assert(!is_in || verdict != TRACING_VERDICT_NO);
    }
}

static void count_warning(void *arg, const struct cairn_directives_warning *warning)
{
    size_t *count = arg;

    assert(warning->reason && warning->at >= warning->directive_at && warning->directive_bytes);
    ++*count;
}

/* Checks that the lossy parser accepts each text, and warns if it is malformed. */
static void check_lossy(const char *text, bool is_wrong)
{
    struct cairn_directives *directives = NULL;
    size_t warnings = 0;

    assert(!cairn_directives_parse_lossy(text, &directives, count_warning, &warnings));
    assert((warnings != 0) == is_wrong);
    assert(!cairn_directives_check(directives, count_warning, &warnings));
    for (size_t i = 0; i < event_count; i++)
        (void)tracing_directives_judge(directives, events[i]);
    cairn_directives_destroy(directives);
}

static void check_directives(const char *text, const struct cairn_directives *directives)
{
    size_t length = strlen(text);
    char *again = malloc(2 * length + 2);
    struct cairn_directives *twice;

    assert(again);
    memcpy(again, text, length);
    again[length] = ',';
    memcpy(again + length + 1, text, length + 1);
    assert(!cairn_directives_parse(again, &twice, NULL));
    for (size_t i = 0; i < event_count; i++)
        check_site(directives, twice, events[i]);
    for (size_t i = 0; i < SPANS; i++)
        check_site(directives, twice, cairn_span_callsite(spans[i]));
    cairn_directives_destroy(twice);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cairn_directives_error why = {SIZE_MAX, NULL};
    struct cairn_directives *directives = NULL;
    char *text = malloc(size + 1);
    int error;

    assert(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    error = cairn_directives_parse(text, &directives, &why);
    assert(!error == !!directives && (!error || error == EINVAL));
    assert(error ? why.reason && why.at <= strlen(text) : !why.reason);
    check_lossy(text, error != 0);
    if (!error)
        check_directives(text, directives);
    cairn_directives_destroy(directives);
    free(text);
    return 0;
}
