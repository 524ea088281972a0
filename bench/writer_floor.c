/* SPDX-License-Identifier: MIT */
/*
 * The floor: the minimum that a tracer does. The time stamp counter is read and, with 72 bytes of
 * record, copied into a ring of the thread's own. There are no checks, no fields, and no reader.
 */
#include "counter.h"
#include "loops.h"

#include <stddef.h>
#include <string.h>

#define RECORD_BYTES 80u
#define RING_BYTES \
    (819u * RECORD_BYTES) /* 64 KiB: stays in the nearest caches, which flatters the floor */

struct ring {
    size_t position;
    unsigned char bytes[RING_BYTES];
};

static _Thread_local struct ring ring;

static inline void emit_event(uint32_t number, const char *text)
{
    static const unsigned char record[RECORD_BYTES - sizeof(uint64_t)];
    const unsigned char *rest = record;
    unsigned char *at = ring.bytes + ring.position;
    uint64_t time = bench_counter();

    (void)number;
    (void)text;
    BENCH_GUARD(rest); /* otherwise the compiler stores zeros instead of copying */
    memcpy(at, &time, sizeof(time));
    memcpy(at + sizeof(time), rest, sizeof(record));
    ring.position += RECORD_BYTES;
    if (ring.position == RING_BYTES)
        ring.position = 0;
}

static bool event_enabled(void)
{
    return true;
}

int main(int argc, char **argv)
{
    static const struct bench_tracer floor_tracer = {
        .enabled = event_enabled,
        BENCH_LOOPS,
    };

    return bench_main(&floor_tracer, argc, argv);
}
