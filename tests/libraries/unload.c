/* SPDX-License-Identifier: MIT */
/*
 * A program that loads a plugin, has it write events, unloads it, forks, writes events of its own,
 * and loads it again, while it records all of them.
 *
 * usage: unload FILE PLUGIN EVENTS   EVENTS: the plugin's, each time that it is loaded
 */
#include <cairn/eventheader.h>
#include <cairn/session.h>
#include <cairn/tracing.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TURNS 3
#define CALLS 20u

CAIRN_PROVIDER(own, "Unload_Own");

static void check(bool is_good, const char *what)
{
    if (!is_good) {
        (void)fprintf(stderr, "failed: %s\n", what);
        exit(1);
    }
}

static struct cairn_session *begin(const char *file)
{
    static const char *const patterns[] = {"Unload_*"};
    struct cairn_session_options options = {
        .size = sizeof(options), .patterns = patterns, .pattern_count = 1};
    const struct cairn_eventheader_options layer_options = {.size = sizeof(layer_options),
                                                            .name = "Unload_Facade"};
    struct cairn_subscriber *subscriber;
    struct cairn_session *session;
    struct cairn_layer *layer;

    options.fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(!cairn_session_create(&options, &session), "creating a session");
    check(!cairn_subscriber_create(&subscriber) &&
              !cairn_eventheader_layer_create(&layer_options, &layer) &&
              !cairn_subscriber_add(subscriber, layer, NULL) &&
              !cairn_subscriber_set_global(subscriber),
          "setting a subscriber");
    check(!cairn_provider_register(&own), "registering");
    return session;
}

/* Loads the plugin, calls it, and unloads it. The loader uses its addresses for the next one, so a
 * remaining reference to it fails. */
static void load_and_unload(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*begin_plugin)(void);
    void (*work)(unsigned);

    if (!plugin)
        (void)fprintf(stderr, "%s\n", dlerror());
    check(plugin, "loading");
    *(void **)&begin_plugin = dlsym(plugin, "plugin_begin");
    *(void **)&work = dlsym(plugin, "plugin_work");
    check(!begin_plugin(), "registering in the plugin");
    for (unsigned i = 0; i < CALLS; i++)
        work(i);
    check(!dlclose(plugin), "unloading");
    check(!dlopen(path, RTLD_NOW | RTLD_NOLOAD), "the plugin is gone");
}

/* Writes in a child, which registers all that its parent had registered, and in the parent. */
static void fork_and_write(void)
{
    pid_t child = fork();
    int status;

    if (!child)
        _exit(CAIRN_WRITE_EVENT(own, "Child") != 0);
    check(child > 0 && waitpid(child, &status, 0) == child && status == 0,
          "a child of fork writes");
    check(!CAIRN_WRITE_EVENT(own, "Parent"), "the parent writes");
    CAIRN_INFO((target("own"), name("own")), "from the program");
    cairn_tracing_log(6, "own", "logged by another");
}

int main(int argc, char **argv)
{
    unsigned long long expected = 0;
    struct cairn_session *session;
    unsigned long long seen;
    uint32_t wait_ms;

    check(argc == 4, "usage: unload FILE PLUGIN EVENTS");
    session = begin(argv[1]);
    for (int turn = 0; turn < TURNS; turn++) {
        load_and_unload(argv[2]);
        fork_and_write();
        expected += strtoul(argv[3], NULL, 10) + 4;
        check(!cairn_session_poll(session, &wait_ms), "polling");
    }
    check(!cairn_session_finish(session), "finishing");
    seen = cairn_session_counts(session)->events;
    cairn_session_destroy(session);
    (void)printf("expected %llu, recorded %llu\n", expected, seen);
    return seen != expected;
}
