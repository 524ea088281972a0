/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of registering when a program starts: 1,000 call sites of one provider with 8
 * pairs of level and keyword, or (-DBENCH_PROVIDERS) 10,000 providers of one call site each, one
 * after the other; and as many openat calls that fail. The tracing directory must not exist yet.
 *
 * usage: start     prints `register_us us`, `unregister_us us`, `openat_us us`: for all together
 */
#include "provider_many.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifdef BENCH_PROVIDERS

MANY_10000(MANY_PROVIDER, 1)

enum { COUNT = 10000, PROVIDERS = 10000 };

static struct cairn_provider *const providers[PROVIDERS] = {MANY_10000(MANY_PROVIDER_ADDRESS, 1)};

#else

CAIRN_PROVIDER(bench_provider, "CairnBench");

#define SITE(n)                                                                       \
    static __attribute__((used, noinline)) int site_##n(int number, const char *text) \
    {                                                                                 \
        return CAIRN_WRITE_EVENT(bench_provider, "Event" #n, level(INFORMATION),      \
                                 keyword(1u << (n) % 8), i32("Number", number),       \
                                 str8("Text", text));                                 \
    }

MANY_1000(SITE, 1)

enum { COUNT = 1000, PROVIDERS = 1 };

static struct cairn_provider *const providers[PROVIDERS] = {&bench_provider};

#endif

static double now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* Calls a function with each provider. Returns the first error. */
static int each(int (*function)(struct cairn_provider *provider))
{
    int first_error = 0;

    for (int i = 0; i < PROVIDERS; i++) {
        int error = function(providers[i]);

        first_error = first_error ? first_error : error;
    }
    return first_error;
}

static int open_all(void)
{
    for (int i = 0; i < COUNT; i++) {
        if (openat(AT_FDCWD, "/nowhere/at/all", O_RDONLY | O_CLOEXEC) >= 0)
            return EEXIST;
    }
    return 0;
}

int main(void)
{
    double times[4];
    int error;

    times[0] = now_us();
    error = each(cairn_provider_register);
    times[1] = now_us();
    error = error ? error : each(cairn_provider_unregister);
    times[2] = now_us();
    error = error ? error : open_all();
    times[3] = now_us();
    if (error) {
        (void)fprintf(stderr, "start: %s\n", strerror(error));
        return 1;
    }
    printf("register_us %.1f\nunregister_us %.1f\nopenat_us %.1f\n", times[1] - times[0],
           times[2] - times[1], times[3] - times[2]);
    return 0;
}
