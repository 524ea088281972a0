/* SPDX-License-Identifier: MIT */
/* Cases with writes of all kinds of payloads, in all kinds of parts, from all kinds of memory. */
#include "codes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WRITES    100 /* writes of each event */
#define MAX_BYTES 600

static const struct {
    const char *fields;
    uint32_t fixed_bytes;
    uint32_t dynamic_count;
    bool is_relative;
    uint32_t places[10]; /* offsets of dynamic fields in the payload */
} events[] = {
    {"", 0, 0, false, {0}},
    {" u32 a", 4, 0, false, {0}},
    {" u8 a; __rel_loc char[] t", 5, 1, true, {1}},
    {" __data_loc char[] t", 4, 1, false, {0}},
    {" __data_loc u8[] b; u32 c", 8, 1, false, {0}},
    {" __rel_loc char[] x; __rel_loc char[] y", 8, 2, true, {0, 4}},
    {" char[8] a; __data_loc unsigned char[] t", 12, 1, false, {8}},
    {" __rel_loc u8[] a; __rel_loc u8[] b; __rel_loc char[] c; __rel_loc u8[] d; __rel_loc u8[] e;"
     " __rel_loc u8[] f; __rel_loc u8[] g; __rel_loc u8[] h; __rel_loc u8[] i; __rel_loc char[] j",
     40,
     10,
     true,
     {0, 4, 8, 12, 16, 20, 24, 28, 32, 36}},
    {" struct big s 300", 300, 0, false, {0}},
};
#define EVENTS (sizeof(events) / sizeof(*events))

/* The way of writing, and the memory that is written. */
struct attempt {
    uint8_t payload[MAX_BYTES];
    uint32_t size;
    uint32_t locations[10];
    int32_t index;
    uint32_t parts;
    uint32_t call;
    uint32_t memory;
};

static const char *const calls[] = {"writev",        "write",        "pwrite at 0",
                                    "pwrite at 8",   "pwritev at 0", "pwritev at 8",
                                    "pwritev at -3", "pwrite at -1"};
static const char *const memories[] = {"there",           "index gone", "payload gone", "end gone",
                                       "index half gone", "list gone",  "kernel's"};

/* Makes a location, which mostly points after the fixed fields. Locations that end before the
 * payload are not made: their result depends on the kernel's memory. */
static uint32_t make_location(size_t event, uint32_t place, uint32_t size)
{
    uint32_t begin = events[event].fixed_bytes + codes_random(8);
    uint32_t length = codes_random(12);
    uint32_t from = events[event].is_relative ? place + 4 : 0;

    if (codes_random(4) == 0)
        length = size > begin ? size - begin + codes_random(3) : codes_random(3);
    if (codes_random(16) == 0)
        length = 0xffff - codes_random(3);
    if (begin < from || begin + length == 0)
        begin = from + 1;
    return length << 16 | ((begin - from + (events[event].is_relative ? 0 : 8)) & 0xffff);
}

static void make_attempt(size_t event, struct attempt *a)
{
    uint32_t fixed = events[event].fixed_bytes;

    memset(a, 0, sizeof(*a));
    a->size = fixed + codes_random(32);
    if (codes_random(6) == 0)
        a->size = codes_random(fixed + 1);
    for (uint32_t i = 0; i < a->size; i++)
        a->payload[i] = codes_random(3) ? (uint8_t)codes_random(256) : 0;
    for (uint32_t i = 0; i < events[event].dynamic_count; i++) {
        a->locations[i] = make_location(event, events[event].places[i], a->size);
        memcpy(a->payload + events[event].places[i], &a->locations[i], 4);
    }
    if (events[event].dynamic_count && codes_random(2))
        memset(a->payload + fixed, 0, sizeof(a->payload) - fixed);
    a->parts = codes_random(3) ? 1 + codes_random(4) : codes_random(65);
}

/* Mistakes that only system calls can make. */
static void make_raw(struct attempt *a)
{
    static const int32_t indexes[] = {-1, INT32_MIN, INT32_MAX, 1000000, 40000};

    a->index = codes_random(3) ? 0 : CODES_PICK(indexes);
    a->call = codes_random(2) ? 0 : codes_random(sizeof(calls) / sizeof(*calls));
    a->memory = codes_random(2) ? 0 : codes_random(sizeof(memories) / sizeof(*memories));
    if (a->memory == 5 && a->call != 4 && a->call != 5)
        a->call = 0; /* one of the calls with a list */
}

/* Divides the payload at random positions. Returns the number of parts. */
static int cut(const struct attempt *a, const void *payload, struct iovec *parts)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < a->parts; i++) {
        uint32_t length = i + 1 == a->parts ? a->size - at : codes_random(a->size - at + 1) / 2;

        parts[i] = (struct iovec){(char *)(uintptr_t)payload + at, length};
        at += length;
    }
    return (int)a->parts;
}

/* Lays out the index and the payload in memory. */
static int lay_out(const struct attempt *a, int32_t index, struct iovec *parts)
{
    const struct codes_memory *memory = codes_memory();
    static char buffer[MAX_BYTES + 4];
    char *at = buffer;
    int count;

    if (a->memory == 1)
        at = memory->gone;
    else if (a->memory == 2)
        at = memory->edge - 4;
    else if (a->memory == 3)
        at = memory->edge - 4 - a->size / 2;
    else if (a->memory == 4)
        at = memory->edge - 2;
    else if (a->memory == 6)
        at = memory->kernel;
    for (uint32_t i = 0; i < 4 + a->size && a->memory != 6; i++) {
        if (at + i < memory->edge || at + i >= memory->edge + 4096)
            at[i] = (char)(i < 4 ? ((const char *)&index)[i] : (char)a->payload[i - 4]);
    }
    parts[0] = (struct iovec){at, 4};
    count = cut(a, at + 4, parts + 1);
    return 1 + count;
}

static ssize_t call(const struct attempt *a, const struct iovec *parts, int count)
{
    switch (a->call) {
    case 0:
        return writev(codes_fd, parts, count);
    case 1:
        return write(codes_fd, parts[0].iov_base, 4 + a->size);
    case 2:
        return pwrite(codes_fd, parts[0].iov_base, 4 + a->size, 0);
    case 3:
        return pwrite(codes_fd, parts[0].iov_base, 4 + a->size, 8);
    case 4:
        return pwritev(codes_fd, parts, count, 0);
    case 5:
        return pwritev(codes_fd, parts, count, 8);
    case 6:
        return pwritev(codes_fd, parts, count, -3);
    default:
        return pwrite(codes_fd, parts[0].iov_base, 4 + a->size, -1);
    }
}

static void try_raw(const struct codes_event *e, const struct attempt *a, const char *what)
{
    char whole[1024], code[32];
    struct iovec parts[128];
    int count = lay_out(a, a->index ? a->index : (int32_t)e->index, parts);
    ssize_t size = call(a, a->memory == 5 ? (struct iovec *)codes_memory()->gone : parts, count);

    (void)snprintf(code, sizeof(code), "%s", size == 4 + (ssize_t)a->size ? "all" : "less");
    (void)snprintf(whole, sizeof(whole), "%s, %s, index %d, memory %s", what, calls[a->call],
                   a->index, memories[a->memory]);
    codes_say("write by call", whole, size < 0 ? codes_name(errno) : code, NULL);
}

static void try_write(const struct codes_side *side, size_t event, struct codes_event *e,
                      bool listened, uint32_t number)
{
    struct iovec parts[128];
    struct attempt a;
    uint32_t seed = codes_random(1u << 31) + 1;
    char what[512];
    int length, error;

    make_attempt(event, &a);
    length = snprintf(what, sizeof(what), "%s, %u bytes in %u parts, %s", events[event].fields,
                      a.size, a.parts, listened ? "listened to" : "for nobody");
    for (uint32_t i = 0; i < events[event].dynamic_count; i++)
        length += snprintf(what + length, sizeof(what) - (size_t)length, " %x", a.locations[i]);
    if (a.parts == 0)
        a.size = 0;
    error = side->write(e, parts, cut(&a, a.payload, parts));
    codes_say("write", what, codes_name(error),
              a.size < events[event].fixed_bytes && !listened ? "the same, and nobody listens"
                                                              : NULL);
    if (side->is_raw) {
        make_raw(&a);
        if (a.size)
            try_raw(e, &a, what);
    }
    codes_seed(seed + number);
}

static void try_event(const struct codes_side *side, size_t event, bool listened)
{
    struct codes_event e;
    char command[640], name[32];

    (void)snprintf(name, sizeof(name), "%s", codes_new_name());
    (void)snprintf(command, sizeof(command), "%s%s", name, events[event].fields);
    codes_prepare(&e, command);
    codes_check(!side->add(&e, 0), "registering");
    if (listened)
        side->listen(name, true);
    for (uint32_t i = 0; i < (listened ? WRITES : WRITES / 4); i++)
        try_write(side, event, &e, listened, i);
    if (listened)
        side->listen(name, false);
    codes_check(!side->remove(&e), "unregistering");
}

void codes_writes(const struct codes_side *side)
{
    codes_seed(1234);
    for (size_t i = 0; i < EVENTS; i++) {
        try_event(side, i, true);
        try_event(side, i, false);
    }
}
