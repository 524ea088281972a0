/* SPDX-License-Identifier: MIT */
/* Random filters, valid and invalid, and events for them to select. */
#ifndef TESTS_KERNEL_FILTER_TEXTS_H
#define TESTS_KERNEL_FILTER_TEXTS_H

#include <stddef.h>
#include <stdint.h>

/* Every kind of field that a filter distinguishes; `seq` numbers the events. */
#define FILTER_EVENT_COMMAND(name)                                                                \
    name " u32 seq; u8 a; s8 b; u16 c; s16 d; u32 e; s32 f; u64 g; s64 h; char[16] s; char[4] t;" \
         " unsigned char[8] u; struct point p 12; struct pair r 4; u32 cpu; u8 twice; s16 twice;" \
         " __data_loc cpumask_t m; __rel_loc cpumask_t n; __data_loc char[] x;"                   \
         " __rel_loc char[] y; __data_loc unsigned char[] z; char one; __data_loc u8[] v"

#define FILTER_TEXT_MAX_BYTES    1024
#define FILTER_PAYLOAD_MAX_BYTES 512

struct filter_random {
    uint64_t state; /* not 0 */
};

uint32_t filter_random(struct filter_random *random, uint32_t below);

/* A NUL-terminated text. */
void filter_make_text(struct filter_random *random, char text[FILTER_TEXT_MAX_BYTES]);

/* Makes the payload of an event that the kernel accepts. Returns its size in bytes. */
size_t filter_make_payload(struct filter_random *random, uint32_t seq,
                           uint8_t payload[FILTER_PAYLOAD_MAX_BYTES]);

#endif
