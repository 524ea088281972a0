/* SPDX-License-Identifier: MIT */
/*
 * Statistics of events (cairn/decode.h) in one pass and bounded memory: events are grouped by a
 * key, and counted; the values of a field, or the durations of activities, are described by their
 * sum, their least and greatest, quantiles and a histogram.
 *
 * Statistics are used by one thread at a time. Nothing here is for signal handlers.
 */
#ifndef CAIRN_STATS_H
#define CAIRN_STATS_H

#include <cairn/decode.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_stats;

/* More keys than this are counted in one group. */
#define CAIRN_STATS_GROUPS_MAX 16384u
#define CAIRN_STATS_OTHERS     "(others)"

/* A quantile differs from the number at its rank by at most this part of it. */
#define CAIRN_STATS_QUANTILE_ERROR (1.0 / 128)

enum cairn_stats_key {
    CAIRN_STATS_BY_EVENT = 0, /* "Provider:Event" */
    CAIRN_STATS_BY_PROVIDER = 1,
    CAIRN_STATS_BY_PROCESS = 2, /* its id; the name of a thread is in the group */
    CAIRN_STATS_BY_THREAD = 3,  /* "comm-tid" */
    CAIRN_STATS_BY_CPU = 4,
    CAIRN_STATS_BY_FIELD = 5, /* the value of `key_field`; events without it are not counted */
};

/*
 * Begins with CAIRN_STATS_OPTIONS_INIT, or with zeros and a size. Everything is copied. Members are
 * added at the end; zero is then the behaviour before.
 */
struct cairn_stats_options {
    size_t size; /* of this struct, as the caller was compiled */
    enum cairn_stats_key key;
    const char *key_field;   /* with CAIRN_STATS_BY_FIELD; "Path", or of a struct "Peer.Port" */
    const char *value_field; /* events with a number in this field are counted; or NULL */
    bool durations;          /* activities are counted instead of events: the ns from an event of
                                opcode ACTIVITY_START to the next ACTIVITY_STOP of its activity id */
};

#define CAIRN_STATS_OPTIONS_INIT                                                    \
    {                                                                               \
        sizeof(struct cairn_stats_options), CAIRN_STATS_BY_EVENT, NULL, NULL, false \
    }

/*
 * options    NULL: counts events by their name
 * ret_stats  destroyed by the caller
 *
 * Returns 0; EINVAL an unknown key, a key_field that is missing, both value_field and durations, or
 * options of a wrong size; E2BIG options that this version lacks are set; ENOMEM.
 */
CAIRN_API int cairn_stats_create(const struct cairn_stats_options *options,
                                 struct cairn_stats **ret_stats);

/* Accepts NULL. */
CAIRN_API void cairn_stats_destroy(struct cairn_stats *stats);

/* Counts an event. Returns 0; ENOMEM: it was not counted completely. */
CAIRN_API int cairn_stats_event(struct cairn_stats *stats, const struct cairn_event *event);

/* Events that a recorder reports as lost. Texts may be NULL or empty: not known. */
struct cairn_stats_loss {
    const char *provider;
    const char *event; /* its name, without the provider */
    const char *comm;
    uint32_t pid; /* 0: not known */
    uint32_t tid;
    uint64_t count;
};

#define CAIRN_STATS_UNKNOWN "(unknown)" /* the key of losses that lack it */

/* Counts lost events in their group. With a key of CAIRN_STATS_BY_CPU or CAIRN_STATS_BY_FIELD that
 * is CAIRN_STATS_UNKNOWN. Returns 0; ENOMEM. */
CAIRN_API int cairn_stats_lost(struct cairn_stats *stats, const struct cairn_stats_loss *loss);

/* Totals so far. They may grow at the end. */
struct cairn_stats_totals {
    uint64_t events;   /* all that were added */
    uint64_t bytes;    /* of their data: the sum of `raw_bytes` */
    uint64_t times;    /* events with a time of the recording's clock */
    uint64_t first_ns; /* the least and the greatest of these times; of several recordings, each has
                          a clock of its own */
    uint64_t last_ns;
    uint64_t walls; /* events with a time of day */
    uint64_t first_wall_ns;
    uint64_t last_wall_ns;
    bool key_was_found;          /* an event has the key_field */
    bool value_was_found;        /* an event has the value_field */
    bool value_was_number;       /* and it is a finite number */
    bool has_others;             /* there were more than CAIRN_STATS_GROUPS_MAX keys */
    uint64_t unfinished;         /* activities that began and have not ended */
    uint64_t ends_without_begin; /* of activities */
};

/* Returns the totals: the statistics' own, which change with the next event. */
CAIRN_API const struct cairn_stats_totals *cairn_stats_totals(struct cairn_stats *stats);

/* A group: the events, or the activities, that have one key. It may grow at the end. */
struct cairn_stats_group {
    const char *key; /* as the event has it: any bytes but NUL */
    uint64_t count;
    uint64_t bytes;  /* of the events' data; 0 of activities */
    char comm[16];   /* CAIRN_STATS_BY_PROCESS: the name of the thread that was seen first, or "" */
    long double sum; /* of values or durations, rounded; 0 if there are none */
    long double min;
    long double max;
    uint64_t lost; /* events that are missing (cairn_stats_lost) */
};

/*
 * Lists the groups that are not empty, those with the most events first, and then those with the
 * most losses; CAIRN_STATS_OTHERS is the last one.
 *
 * ret_groups  the statistics' own, until the next event
 *
 * Returns 0; ENOMEM.
 */
CAIRN_API int cairn_stats_list(struct cairn_stats *stats,
                               const struct cairn_stats_group *const **ret_groups,
                               size_t *ret_count);

/* An activity that has begun and not ended. It may grow at the end. */
struct cairn_stats_span {
    const char *name;  /* of its first event: "Provider:Event" */
    uint64_t start_ns; /* of the recording's clock; 0: unknown */
    uint32_t pid;      /* of its first event; 0: unknown */
    uint32_t tid;
};

/*
 * Lists the activities that are open, the one that began first at the beginning; with `durations`.
 *
 * ret_spans  the statistics' own, until the next call for them
 *
 * Returns 0; ENOMEM.
 */
CAIRN_API int cairn_stats_spans(struct cairn_stats *stats,
                                const struct cairn_stats_span **ret_spans, size_t *ret_count);

/*
 * Asks of each open activity whether its process is still there, and lists those of others no more.
 * Their ends may still follow: they are counted until this function has found the process missing
 * three times.
 *
 * has_process  true: it is there, or nothing is known of it; called with the process of the
 *              activity's first event
 */
CAIRN_API void cairn_stats_look_for_ended(struct cairn_stats *stats,
                                          bool (*has_process)(void *context, uint32_t pid),
                                          void *context);

#define CAIRN_STATS_SUM_BYTES 48u

/* Writes the sum of the group's integers as decimal digits. False: the group has other numbers,
 * too. */
CAIRN_API bool cairn_stats_group_exact_sum(const struct cairn_stats_group *group,
                                           char text[CAIRN_STATS_SUM_BYTES]);

/* Returns the least of the group's numbers of which at least a part (0 to 1) of them are less or
 * equal; 0 if it has none. */
CAIRN_API double cairn_stats_group_quantile(const struct cairn_stats_group *group, double part);

/*
 * Calls a function for each bucket of the group's histogram that is not empty, from the least
 * number on: `count` numbers are from `low` up to `high`, which are equal for zeros.
 */
CAIRN_API void cairn_stats_group_each_bucket(const struct cairn_stats_group *group,
                                             void (*bucket)(void *context, double low, double high,
                                                            uint64_t count),
                                             void *context);

#ifdef __cplusplus
}
#endif

#endif
