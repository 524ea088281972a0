/* SPDX-License-Identifier: MIT */
/* Functions of times: time_bucket, overlap, wall. */
#include "query/functions.h"

#include "export/wall_clock.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- time_bucket ---- */

static const struct unit {
    const char *name;
    int64_t ns;
} units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
    {"m", INT64_C(60000000000)},
    {"min", INT64_C(60000000000)},
    {"h", INT64_C(3600000000000)},
    {"d", INT64_C(86400000000000)},
};

/* "100ms", "1.5 s", or a number of ns. Returns 0: it is none, or not positive. */
static int64_t parse_width(sqlite3_value *value)
{
    const char *text;
    double number;
    char *unit;

    if (sqlite3_value_type(value) != SQLITE_TEXT) {
        int64_t ns = sqlite3_value_int64(value);

        return ns > 0 ? ns : 0;
    }
    text = (const char *)sqlite3_value_text(value);
    number = strtod(text, &unit);
    unit += strspn(unit, " ");
    for (size_t n = 0; n < sizeof(units) / sizeof(*units); n++) {
        double ns = number * (double)units[n].ns;

        if (!strcmp(unit, units[n].name))
            return ns >= 1 && ns < 9e18 ? (int64_t)ns : 0;
    }
    return 0;
}

/* time_bucket(width, time): the beginning of the bucket that a time is in. */
static void time_bucket(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    int64_t width;
    int64_t ns;

    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL)
        return;
    width = parse_width(argv[0]);
    if (!width) {
        sqlite3_result_error(to, "time_bucket: the width is a number of ns, or as in '100ms'", -1);
        return;
    }
    ns = sqlite3_value_int64(argv[1]);
    sqlite3_result_int64(to, ns - (ns % width + width) % width);
}

/* ---- overlap ---- */

/* overlap(start, stop, other_start, other_stop): the ns that both have in common. */
static void overlap(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    int64_t first;
    int64_t last;

    for (int n = 0; n < argc; n++) {
        if (sqlite3_value_type(argv[n]) == SQLITE_NULL)
            return;
    }
    first = sqlite3_value_int64(argv[0]) > sqlite3_value_int64(argv[2])
                ? sqlite3_value_int64(argv[0])
                : sqlite3_value_int64(argv[2]);
    last = sqlite3_value_int64(argv[1]) < sqlite3_value_int64(argv[3])
               ? sqlite3_value_int64(argv[1])
               : sqlite3_value_int64(argv[3]);
    sqlite3_result_int64(to, last > first ? last - first : 0);
}

/* ---- wall ---- */

/* wall(ns): the time of day, as the column of this name. */
static void wall(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    struct export_wall_clock clock = {0};
    char text[EXPORT_WALL_CLOCK_ROOM_BYTES];
    char *end;

    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_int64(argv[0]) < 0)
        return;
    end = export_put_wall_time(text, &clock, (uint64_t)sqlite3_value_int64(argv[0]));
    sqlite3_result_text(to, text, (int)(end - text), SQLITE_TRANSIENT);
}

int query_functions_register(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int err = sqlite3_create_function_v2(db, "time_bucket", 2, flags, NULL, time_bucket, NULL, NULL,
                                         NULL);

    if (!err)
        err = sqlite3_create_function_v2(db, "overlap", 4, flags, NULL, overlap, NULL, NULL, NULL);
    if (!err)
        err = sqlite3_create_function_v2(db, "wall", 1, flags, NULL, wall, NULL, NULL, NULL);
    if (err)
        return ENOMEM;
    err = query_quantiles_register(db);
    return err ? err : query_self_time_register(db);
}
