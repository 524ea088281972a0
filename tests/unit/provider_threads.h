/* SPDX-License-Identifier: MIT */
/*
 * Threads that register and unregister a provider while others write its events, and threads that
 * load and unload a shared object with a provider of its own. Used by test_eventheader_threads.c,
 * and by tests/kernel, where the kernel enables the events.
 */
#ifndef TESTS_PROVIDER_THREADS_H
#define TESTS_PROVIDER_THREADS_H

#include <cairn/eventheader.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PROVIDER_THREADS = 4 };

struct provider_threads {
    int rounds;
    const char *plugin; /* path of the shared object */
    bool is_heard;      /* each event is enabled while its provider is registered */
    bool sessions_end;  /* a session may end before an event is written: the event is dropped */
    int registered, unregistered, written;
};

CAIRN_PROVIDER_DECLARE(threads_provider);

static inline void provider_threads_add(int *sum, int number)
{
    __atomic_fetch_add(sum, number, __ATOMIC_RELAXED);
}

/* cmocka's assertions work in the test's own thread only. */
static inline void provider_threads_expect(int error, int other_error, const char *what)
{
    if (error && error != other_error) {
        fprintf(stderr, "%s: error %d\n", what, error);
        abort();
    }
}

/* One of the threads that try at the same time succeeds. */
static inline void *provider_threads_register(void *arg)
{
    struct provider_threads *t = arg;

    for (int i = 0; i < t->rounds; i++) {
        int error = cairn_provider_register(&threads_provider);

        provider_threads_add(&t->registered, error == 0);
        provider_threads_expect(error, EALREADY, "registering");
        error = CAIRN_WRITE_EVENT(threads_provider, "Registered", i32("Round", i));
        provider_threads_add(&t->written, error == 0);
        provider_threads_expect(error, error == ENOSPC && t->sessions_end ? ENOSPC : EBADF,
                                "writing");
        error = cairn_provider_unregister(&threads_provider);
        provider_threads_add(&t->unregistered, error == 0);
        provider_threads_expect(error, ENOENT, "unregistering");
    }
    return NULL;
}

static inline void *provider_threads_write(void *arg)
{
    struct provider_threads *t = arg;

    for (int i = 0; i < 4 * t->rounds; i++) {
        int error = CAIRN_WRITE_EVENT(threads_provider, "Written", level(ERROR),
                                      str8("Text", "while it comes and goes"), i32("Round", i));

        provider_threads_add(&t->written, error == 0);
        provider_threads_expect(error, error == ENOSPC && t->sessions_end ? ENOSPC : EBADF,
                                "writing");
    }
    return NULL;
}

/* The dynamic loader has a lock of its own, which sanitizers do not see. */
static pthread_mutex_t provider_threads_loader = PTHREAD_MUTEX_INITIALIZER;

/* A thread that has loaded the shared object may write to its provider: its constructor has
 * registered the provider, and its destructor has not run yet. */
static inline void *provider_threads_load(void *arg)
{
    struct provider_threads *t = arg;

    for (int i = 0; i < t->rounds; i++) {
        int (*write_event)(void);
        void *plugin;

        pthread_mutex_lock(&provider_threads_loader);
        plugin = dlopen(t->plugin, RTLD_NOW | RTLD_LOCAL);
        pthread_mutex_unlock(&provider_threads_loader);
        provider_threads_expect(!plugin, 0, "loading");
        write_event = (int (*)(void))dlsym(plugin, "eventheader_resident_write");
        provider_threads_expect(!write_event, 0, "finding the function");
        for (int n = 0; n < 3; n++) {
            int error = write_event();

            provider_threads_add(&t->written, error == 0);
            provider_threads_expect(error, t->is_heard ? 0 : EBADF, "writing from a shared object");
        }
        pthread_mutex_lock(&provider_threads_loader);
        provider_threads_expect(dlclose(plugin), 0, "unloading");
        pthread_mutex_unlock(&provider_threads_loader);
    }
    return NULL;
}

/* Threads with an even number run one function, those with an odd number the other. */
static inline void provider_threads_run(struct provider_threads *t, void *(*one)(void *),
                                        void *(*other)(void *))
{
    pthread_t threads[PROVIDER_THREADS];

    for (int i = 0; i < PROVIDER_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i % 2 ? other : one, t), 0);
    for (int i = 0; i < PROVIDER_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

#endif
