/* SPDX-License-Identifier: MIT */
/* Test of libraries with call sites that are loaded and unloaded. */
#include "engine_test.h"
#include "tracing_test.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>

#define PROVIDER "Tracing_Unload"

/* Counts the call sites of libraries each time that it is asked about all. */
struct census {
    struct cairn_layer layer; /* must be the first member */
    int places;
};

static const struct cairn_tracepoint *ask(struct cairn_layer *layer,
                                          const struct cairn_callsite *site)
{
    if (site->target_bytes == 3 &&
        (!memcmp(site->target, "one", 3) || !memcmp(site->target, "two", 3)))
        ((struct census *)layer)->places++;
    return CAIRN_NEVER;
}

static struct census census = {.layer = {.interest = ask}};
static struct engine_session session;

static int begin_all(void **state)
{
    const struct cairn_eventheader_options options = {.size = sizeof(options), .name = PROVIDER};
    struct cairn_layer *layer;

    if (set_up(state) || begin_notes(state) || cairn_eventheader_layer_create(&options, &layer) ||
        cairn_subscriber_add(subscriber, layer, NULL) ||
        cairn_subscriber_add(subscriber, &census.layer, NULL))
        return -1;
    session = begin(PROVIDER "_*");
    return 0;
}

static int end_all(void **state)
{
    end(&session);
    return end_notes(state) || tear_down(state);
}

static int count_places(void)
{
    census.places = 0;
    assert_int_equal(cairn_subscriber_reload(subscriber, &census.layer, NULL), 0);
    return census.places;
}

static void *load(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!plugin)
        fail_msg("%s", dlerror());
    return plugin;
}

static void unload(void *plugin, const char *path)
{
    assert_int_equal(dlclose(plugin), 0);
    assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
}

static void trace(void *plugin, int turn)
{
    void (*function)(int) = (void (*)(int))(uintptr_t)dlsym(plugin, "tracing_plugin_trace");

    assert_non_null(function);
    function(turn);
}

static void a_library_can_be_loaded_again_with_its_call_sites(void **state)
{
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        void *plugin = load(CAIRN_TEST_TRACING_PLUGIN_1);

        assert_int_equal(count_places(), 4);
        trace(plugin, turn);
        forget_notes(&notes);
        unload(plugin, CAIRN_TEST_TRACING_PLUGIN_1);
        assert_int_equal(count_places(), 0);
    }
}

/* Checks that the newest record has this text. */
static bool was_written(const char *text)
{
    (void)read_session(&session);
    return memmem(last_payload, last_payload_bytes, text, strlen(text)) != NULL;
}

/* The second library may be loaded at the first one's address: data of the first must not be used
 * for the second. */
static void a_library_at_the_address_of_an_earlier_one_is_another(void **state)
{
    static const char *const paths[] = {CAIRN_TEST_TRACING_PLUGIN_1, CAIRN_TEST_TRACING_PLUGIN_2};
    static const char *const names[] = {"one", "two"};

    (void)state;
    for (int turn = 0; turn < 6; turn++) {
        void *plugin = load(paths[turn % 2]);
        char expected[200];

        trace(plugin, turn);
        trace(plugin, turn);
        (void)snprintf(expected, sizeof(expected), "%s: turn %d %s_turn=%d in inner\n",
                       names[turn % 2], turn, names[turn % 2], turn);
        assert_non_null(strstr(notes.text.text, expected));
        forget_notes(&notes);
        assert_true(was_written(names[turn % 2]));
        assert_false(was_written(names[(turn + 1) % 2]));
        unload(plugin, paths[turn % 2]);
    }
}

/* A recorder that begins gets the open spans: not those of a library that is no longer there. */
static void a_span_may_be_open_when_its_library_is_unloaded(void **state)
{
    void *plugin = load(CAIRN_TEST_TRACING_PLUGIN_1);
    struct cairn_span *(*function)(void) =
        (struct cairn_span * (*)(void))(uintptr_t)dlsym(plugin, "tracing_plugin_begin");
    struct cairn_span *span;
    struct engine_session late;

    (void)state;
    assert_non_null(function);
    span = function();
    assert_non_null(span);
    unload(plugin, CAIRN_TEST_TRACING_PLUGIN_1);
    late = begin(PROVIDER "_*");
    CAIRN_INFO((name("E")));
    assert_int_equal(read_session(&late).records, 1);
    end(&late);
    cairn_span_close(span);
    forget_notes(&notes);
}

static atomic_bool is_over;
static atomic_int reloads;

static void *change_filters(void *arg)
{
    static const char *const filters[] = {"info", "one=debug", "[two]=trace", "off",
                                          "[{text=\"a text of the library's\"}]=debug"};

    (void)arg;
    for (int i = 0; !atomic_load(&is_over); i++) {
        assert_int_equal(
            cairn_subscriber_reload(subscriber, &census.layer, directives(filters[i % 5])), 0);
        atomic_fetch_add(&reloads, 1);
    }
    return NULL;
}

static void *trace_meanwhile(void *arg)
{
    (void)arg;
    while (!atomic_load(&is_over)) {
        CAIRN_SCOPE(TRACE, "meanwhile", target("main"));
        CAIRN_TRACE((target("main"), name("meanwhile")), "meanwhile");
    }
    return NULL;
}

static void libraries_may_be_loaded_and_unloaded_while_filters_change(void **state)
{
    pthread_t threads[2];

    (void)state;
    assert_int_equal(cairn_subscriber_reload(subscriber, &notes.layer, directives("off")), 0);
    assert_int_equal(pthread_create(&threads[0], NULL, change_filters, NULL), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, trace_meanwhile, NULL), 0);
    for (int turn = 0; turn < 50 || atomic_load(&reloads) < 50; turn++) {
        void *one = load(CAIRN_TEST_TRACING_PLUGIN_1);
        void *two = load(CAIRN_TEST_TRACING_PLUGIN_2);

        trace(one, turn);
        trace(two, turn);
        unload(one, CAIRN_TEST_TRACING_PLUGIN_1);
        trace(two, turn);
        unload(two, CAIRN_TEST_TRACING_PLUGIN_2);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(count_places(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_can_be_loaded_again_with_its_call_sites),
        cmocka_unit_test(a_library_at_the_address_of_an_earlier_one_is_another),
        cmocka_unit_test(a_span_may_be_open_when_its_library_is_unloaded),
        cmocka_unit_test(libraries_may_be_loaded_and_unloaded_while_filters_change),
    };

    return cmocka_run_group_tests(tests, begin_all, end_all);
}
