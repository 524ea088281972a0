/* SPDX-License-Identifier: MIT */
/*
 * A program that collects the events of its own process, which a library writes, and with
 * -DTRACES_TOO the program itself. With -DLOADS the library is loaded late.
 *
 * usage: collects FILE [LIBRARY]
 */
#include <cairn/decode.h>
#include <cairn/eventheader.h>
#include <cairn/session.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>

#define COUNT 10u /* events of the library */

#ifdef TRACES_TOO
CAIRN_PROVIDER(own, "Libraries_Own");
#endif

int traces_begin(void);
int traces_work(uint32_t n);

static int (*begin)(void);
static int (*work)(uint32_t n);

static int find(const char *library)
{
#ifdef LOADS
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        (void)fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&begin = dlsym(handle, "traces_begin");
    *(void **)&work = dlsym(handle, "traces_work");
#else
    (void)library;
    begin = traces_begin;
    work = traces_work;
#endif
    return 0;
}

static int write_all(unsigned long long *ret_count)
{
    int error = begin();

    for (*ret_count = 0; !error && *ret_count < COUNT; ++*ret_count)
        error = work((uint32_t)*ret_count);
#ifdef TRACES_TOO
    error = error ? error : cairn_provider_register(&own);
    error = error ? error : CAIRN_WRITE_EVENT(own, "Own", u32("number", 1));
    ++*ret_count;
    (void)cairn_provider_unregister(&own);
#endif
    return error;
}

int main(int argc, char **argv)
{
    static const char *const patterns[] = {"Libraries_*"};
    struct cairn_session_options options = {
        .size = sizeof(options), .patterns = patterns, .pattern_count = 1};
    unsigned long long written = 0;
    struct cairn_session *session;
    struct cairn_decoder *decoder;
    unsigned long long seen;
    uint32_t wait_ms;
    int error;

    if (argc < 2 || find(argv[argc - 1]) || cairn_decoder_create(&decoder))
        return 2;
    options.fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    error = cairn_session_create(&options, &session);
    if (error) {
        (void)fprintf(stderr, "cairn_session_create: %d\n", error);
        return 2;
    }
    error = write_all(&written);
    (void)cairn_session_poll(session, &wait_ms);
    (void)cairn_session_finish(session);
    seen = cairn_session_counts(session)->events;
    cairn_session_destroy(session);
    cairn_decoder_destroy(decoder);
    (void)printf("error %d, written %llu, recorded %llu\n", error, written, seen);
    return error || seen != written;
}
