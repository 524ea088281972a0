/* SPDX-License-Identifier: MIT */
/*
 * A format of another system is one file, which defines the struct below as exchange_format_NAME,
 * and a line of the table CAIRN_EXCHANGE_FORMATS in cairn/exchange.h.
 */
#ifndef EXCHANGE_FORMAT_H
#define EXCHANGE_FORMAT_H

#include "cairn/exchange.h"
#include "decode/items.h"
#include "exchange/target.h"
#include "export/output.h"
#include "timeline/spans.h"

struct exchange_format {
    const char *missing_library; /* that this build lacks; NULL: the functions below are set */
    const char *program; /* that makes the output: in PATH, otherwise begin returns EOPNOTSUPP */
    bool is_directory;
    bool has_stacks; /* of events */
    bool takes_url; /* the path may be "http://..." or "https://...", and there is no target then */

    /* Each returns 0, ENOMEM, or an error of writing; errors of `out` are checked by the caller. */
    int (*begin)(struct cairn_exporter *exporter);
    int (*event)(struct cairn_exporter *exporter, const struct cairn_event *event);
    int (*finish)(struct cairn_exporter *exporter);

    void (*destroy)(struct cairn_exporter *exporter); /* also after a begin that failed */
};

struct exchange_words {
    char **words;
    size_t count;
};

struct cairn_exporter {
    const struct exchange_format *format;
    void *state; /* of the format */
    struct exchange_target target;
    char *url;                       /* instead of a target; NULL: none */
    char problem[256];               /* the first one of delivery; "": none */
    struct export_print_output out;  /* of a format of one file: written to the target */
    struct export_print_output text; /* in memory: for one value */
    struct exchange_words counters;
    bool by_wall;
    uint64_t last_ns; /* time of the event before */
    struct cairn_items items;
    struct cairn_reader *reader; /* during a call; may be NULL */
    struct cairn_exporter_counts counts;
};

static inline void exchange_note(struct cairn_exporter *exporter, enum cairn_exporter_note note)
{
    exporter->counts.notes[note]++;
}

/* Counts a span that ended in another thread than it began in: the output has the first one. */
static inline void exchange_note_stop(struct cairn_exporter *exporter,
                                      const struct timeline_span *span)
{
    if (span->tid != span->stop_tid)
        exchange_note(exporter, CAIRN_EXPORTER_STOPS_ELSEWHERE);
}

/* Counts an event that is damaged. */
static inline void exchange_note_damage(struct cairn_exporter *exporter)
{
    exporter->counts.damaged++;
}

/*
 * Returns an event's time in ns: of the recording's clock, or of day if options say so. It never
 * decreases; an event without a time has that of the one before.
 */
uint64_t exchange_time_of(struct cairn_exporter *exporter, const struct cairn_event *event);

/* Events that were lost so far, as the recording says. */
uint64_t exchange_lost(const struct cairn_exporter *exporter);

#endif
