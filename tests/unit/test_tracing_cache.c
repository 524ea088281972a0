/* SPDX-License-Identifier: MIT */
/* Test of the cached metadata of events while shared objects are unloaded and loaded again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracing/eventheader_cache.h"
#include "tracing/eventheader_cut.h"

#define LOADS 100 /* many times as many as there are entries of a bucket */

static struct cairn_callsite site;
static struct cairn_event_set set; /* only compared */
static struct cairn_builder *builder;

static struct tracing_provider_event event_of(const char *name, uint32_t fields)
{
    struct tracing_provider_event event = {.site = &site, .name = name, .level = 4};

    for (uint32_t n = 0; n < fields; n++)
        tracing_provider_add(&event, n ? "text" : "number",
                             (struct cairn_tracing_value){
                                 .kind = n ? CAIRN_KIND_TEXT : CAIRN_KIND_UNSIGNED, .of.data = ""});
    return event;
}

/* Returns the entry after an event that the builder makes. */
static struct tracing_cached_event *add(const struct tracing_provider_event *event)
{
    assert_int_equal(tracing_eventheader_build(builder, event), 0);
    tracing_cached_event_add(&set, event, builder);
    return tracing_cached_event_find(&set, event);
}

static void test_same_object_is_loaded_again(void **state)
{
    const struct tracing_provider_event event = event_of("same", 2);
    struct tracing_cached_event *first = add(&event);

    (void)state;
    assert_non_null(first);
    for (int n = 0; n < LOADS; n++) {
        tracing_cached_events_invalidate();
        assert_null(tracing_cached_event_find(&set, &event));
        assert_ptr_equal(add(&event), first);
    }
}

/* Another object has another event at the same address: its entry is not that of the former. */
static void test_other_object_is_loaded(void **state)
{
    const struct tracing_provider_event former = event_of("former", 1);
    const struct tracing_provider_event other = event_of("other", 1);
    struct tracing_cached_event *first = add(&former);

    (void)state;
    assert_non_null(first);
    tracing_cached_events_invalidate();
    assert_ptr_not_equal(add(&other), first);
    assert_non_null(tracing_cached_event_find(&set, &other));
    for (int n = 0; n < LOADS; n++) {
        tracing_cached_events_invalidate();
        assert_ptr_equal(add(&former), first);
        tracing_cached_events_invalidate();
        assert_ptr_not_equal(add(&other), first);
        assert_non_null(tracing_cached_event_find(&set, &other));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_object_is_loaded_again),
        cmocka_unit_test(test_other_object_is_loaded),
    };
    int failed;

    if (cairn_builder_create(&builder))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairn_builder_destroy(builder);
    return failed;
}
