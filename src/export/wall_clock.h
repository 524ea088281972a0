/* SPDX-License-Identifier: MIT */
/* The time of day as text: cached, because a second may have millions of events. */
#ifndef EXPORT_WALL_CLOCK_H
#define EXPORT_WALL_CLOCK_H

#include <stdint.h>

#define EXPORT_WALL_CLOCK_ROOM_BYTES 64u

struct export_wall_clock {
    uint64_t begin_ns; /* start of the second that the text shows; valid when length is not 0 */
    uint32_t length;
    uint32_t digits_length;
    char text[32];   /* "2024-03-28T00:45:12." */
    char digits[16]; /* "1711586712": seconds since 1970 */
    char zone[8];    /* "+02:00", of a local time */
};

/* "2024-03-28T00:45:12.640913120Z". Returns the address after it. */
char *export_put_wall_time(char *to, struct export_wall_clock *clock, uint64_t wall_ns);

/* The same time as a number of ns: the second of the clock, and the nine decimals that it wrote. */
char *export_put_wall_ns(char *to, const struct export_wall_clock *clock, const char *decimals);

/* "2024-03-28T02:45:12.640913120+02:00": by the zone of TZ. Use a clock of its own. */
char *export_put_local_time(char *to, struct export_wall_clock *clock, uint64_t wall_ns);

/* "1234.640913120": seconds of a clock, and `decimals` (6 or 9) digits of the rest. Space: 32
 * bytes.
 */
char *export_put_seconds(char *to, uint64_t time_ns, unsigned decimals);

#endif
