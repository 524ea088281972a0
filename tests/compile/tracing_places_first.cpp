/* SPDX-License-Identifier: MIT */
/*
 * Test of call sites in C++: all are known before the first is reached, each once in each object,
 * and none after its object was unloaded.
 *
 * usage: program [PLUGIN]   PLUGIN: the second source, loaded and unloaded twice
 */
#include "tracing_places.hpp"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <stdexcept>
#include <string>

/* Number of call sites of each name that a layer is asked about, and of the events and spans from
 * them. */
struct census {
    cairn_layer layer{}; /* must be the first member */
    std::map<std::string, int> places;
    std::map<std::string, int> events;
    int open = 0;
    int closed = 0;
};

static const cairn_tracepoint *ask(cairn_layer *layer, const cairn_callsite *site)
{
    reinterpret_cast<census *>(layer)->places[site->name]++;
    return CAIRN_ALWAYS;
}

static void note_event(cairn_layer *layer, const cairn_tracing_event *event)
{
    reinterpret_cast<census *>(layer)->events[event->site->name]++;
}

static void note_new(cairn_layer *layer, cairn_span *)
{
    reinterpret_cast<census *>(layer)->open++;
}

static void note_close(cairn_layer *layer, cairn_span *)
{
    reinterpret_cast<census *>(layer)->open--;
    reinterpret_cast<census *>(layer)->closed++;
}

static census taken;

static void check(bool is_so, const char *what)
{
    if (!is_so)
        throw std::runtime_error(what);
}
#define CHECK(condition) check(condition, #condition)

static void count_again(cairn_subscriber *subscriber)
{
    taken.places.clear();
    taken.events.clear();
    CHECK(!cairn_subscriber_reload(subscriber, &taken.layer, nullptr));
}

static void check_header(int objects)
{
    CHECK(taken.places["inline_scope"] == objects);
    CHECK(taken.places["inline_event"] == objects);
    CHECK(taken.places["template_of_double"] >= objects);
    CHECK(taken.places["lambda_event"] == objects);
    CHECK(taken.places["member_template_event"] == objects);
    CHECK(taken.places["held"] == objects);
}

static void check_plugin(cairn_subscriber *subscriber, const char *path)
{
    for (int turn = 0; turn < 2; turn++) {
        void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

        check(plugin, "dlopen");
        count_again(subscriber);
        check_header(2);
        CHECK(taken.places["of_second"] == 1 && taken.places["of_first"] == 1);
        reinterpret_cast<void (*)()>(dlsym(plugin, "all_of_second"))();
        CHECK(taken.events["of_second"] == 1 && taken.events["inline_event"] == 1);
        dlclose(plugin);
        check(!dlopen(path, RTLD_NOW | RTLD_NOLOAD), "the plugin stays loaded");
        count_again(subscriber);
        check_header(1);
        CHECK(taken.places["of_second"] == 0);
    }
}

static void throw_out_of_a_scope()
{
    CAIRN_SCOPE(INFO, "thrown_out_of");
    throw std::logic_error("on purpose");
}

static void check_spans()
{
    int closed = taken.closed;
    cairn::span copy;

    {
        cairn::span span = make_span("text");
        copy = span;
        CHECK(copy.get() == span.get() && span);
    }
    CHECK(taken.closed == closed);
    copy = cairn::span();
    CHECK(taken.closed == closed + 1 && !copy);
    try {
        throw_out_of_a_scope();
    } catch (const std::logic_error &) {
        CHECK(!cairn_span_current());
    }
    CHECK(taken.open == 0 && taken.closed == closed + 2);
}

/* A plugin's functions cannot be called directly. */
static void check_second()
{
#ifndef PLUGIN
    CHECK(taken.places["of_second"] == 1);
    all_of_second();
    CHECK(taken.events["of_second"] == 1 && taken.events["inline_event"] == 2);
#endif
}

static int run(const char *plugin)
{
    cairn_subscriber *subscriber;

    taken.layer.interest = ask;
    taken.layer.event = note_event;
    taken.layer.span_new = note_new;
    taken.layer.span_close = note_close;
    CHECK(!cairn_subscriber_create(&subscriber));
    CHECK(!cairn_subscriber_add(subscriber, &taken.layer, nullptr));
    CHECK(!cairn_subscriber_set_global(subscriber));
    check_header(1);
    all_of_header();
    CAIRN_INFO((name("of_first")));
    CHECK(taken.places["generic"] == 1);
    CHECK(taken.events["inline_event"] == 1 && taken.events["template_event"] == 2);
    CHECK(taken.events["template_of_double"] == 1 && taken.events["lambda_event"] == 1);
    CHECK(taken.events["member_template_event"] == 1 && taken.events["in_held"] == 1);
    check_spans();
    if (plugin) {
        check_plugin(subscriber, plugin);
    } else {
        check_second();
    }
    return 0;
}

int main(int argc, char **argv)
{
    try {
        return run(argc > 1 ? argv[1] : nullptr);
    } catch (const std::runtime_error &failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
}
