/* SPDX-License-Identifier: MIT */
/* The interface of exporters: creates one of a format, passes events to it, finishes its output. */
#include "exchange/format.h"

#include "core/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(NAME, name, description) extern const struct exchange_format exchange_format_##name;
#define ADDRESS(NAME, name, description) &exchange_format_##name,

CAIRN_EXCHANGE_FORMATS(DECLARE)

static const struct exchange_format *const formats[] = {CAIRN_EXCHANGE_FORMATS(ADDRESS)};

#define NOTE_TEXT(NAME, is_loss, text)    text,
#define NOTE_IS_LOSS(NAME, is_loss, text) is_loss,

const char *cairn_exporter_note_text(enum cairn_exporter_note note)
{
    static const char *const texts[] = {CAIRN_EXPORTER_NOTES(NOTE_TEXT)};

    return texts[note];
}

bool cairn_exporter_note_is_loss(enum cairn_exporter_note note)
{
    static const bool losses[] = {CAIRN_EXPORTER_NOTES(NOTE_IS_LOSS)};

    return losses[note];
}

const char *cairn_exporter_missing_library(enum cairn_exchange_format format)
{
    return (unsigned)format < CAIRN_EXCHANGE_FORMAT_COUNT ? formats[format]->missing_library : NULL;
}

const char *cairn_exporter_program(enum cairn_exchange_format format)
{
    return (unsigned)format < CAIRN_EXCHANGE_FORMAT_COUNT ? formats[format]->program : NULL;
}

/* ---- create and destroy ---- */

static int copy_words(const char *const *words, size_t count, struct exchange_words *copy)
{
    copy->words = (char **)calloc(count ? count : 1, sizeof(*copy->words));
    if (!copy->words)
        return ENOMEM;
    for (size_t n = 0; n < count; n++) {
        copy->words[n] = strdup(words[n]);
        if (!copy->words[n])
            return ENOMEM;
        copy->count++;
    }
    return 0;
}

static bool is_url(const char *path)
{
    return !strncmp(path, "http://", 7) || !strncmp(path, "https://", 8);
}

static int open_target(struct cairn_exporter *exporter, const char *path)
{
    int err;

    if (exporter->format->takes_url && is_url(path)) {
        exporter->url = strdup(path);
        return exporter->url ? 0 : ENOMEM;
    }
    err = exchange_target_open(&exporter->target, path, exporter->format->is_directory);
    if (!err && exporter->target.fd >= 0)
        err = export_output_open_large(&exporter->out, exporter->target.fd);
    return err;
}

static int fill(struct cairn_exporter *exporter, const struct cairn_exporter_options *options)
{
    int err;

    exporter->by_wall = options->by_wall;
    err = copy_words(options->counters, options->counter_count, &exporter->counters);
    if (!err)
        err = export_output_open(&exporter->text, -1);
    if (!err)
        err = open_target(exporter, options->path);
    return err ? err : exporter->format->begin(exporter);
}

static int check_options(const struct cairn_exporter_options *options)
{
    if ((unsigned)options->format >= CAIRN_EXCHANGE_FORMAT_COUNT || !options->path)
        return EINVAL;
    return formats[options->format]->missing_library ? EOPNOTSUPP : 0;
}

int cairn_exporter_create(const struct cairn_exporter_options *options,
                          struct cairn_exporter **ret_exporter)
{
    struct cairn_exporter_options own = CAIRN_EXPORTER_OPTIONS_INIT;
    struct cairn_exporter *exporter;
    int err = core_options_copy(options,
                                CORE_OPTIONS_BYTES_TO(struct cairn_exporter_options, counter_count),
                                sizeof(own), &own);

    if (!err)
        err = check_options(&own);
    if (err)
        return err;
    exporter = (struct cairn_exporter *)calloc(1, sizeof(*exporter));
    if (!exporter)
        return ENOMEM;
    exporter->format = formats[own.format];
    exporter->target = (struct exchange_target)EXCHANGE_TARGET_NONE;
    err = fill(exporter, &own);
    if (err)
        cairn_exporter_destroy(exporter);
    else
        *ret_exporter = exporter;
    return err;
}

void cairn_exporter_destroy(struct cairn_exporter *exporter)
{
    if (!exporter)
        return;
    exporter->format->destroy(exporter);
    export_output_close(&exporter->out);
    export_output_close(&exporter->text);
    exchange_target_close(&exporter->target);
    free(exporter->url);
    for (size_t n = 0; n < exporter->counters.count; n++)
        free(exporter->counters.words[n]);
    free((void *)exporter->counters.words);
    free(exporter);
}

/* ---- events ---- */

uint64_t exchange_time_of(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    uint64_t ns = 0;

    if (exporter->by_wall && (event->has & CAIRN_EVENT_WALL))
        ns = event->wall_ns;
    else if (event->has & CAIRN_EVENT_TIME)
        ns = event->time_ns;
    else
        exchange_note(exporter, CAIRN_EXPORTER_NO_TIME);
    if (ns && ns < exporter->last_ns)
        exchange_note(exporter, CAIRN_EXPORTER_TIME_BACK);
    if (ns > exporter->last_ns)
        exporter->last_ns = ns;
    return exporter->last_ns;
}

uint64_t exchange_lost(const struct cairn_exporter *exporter)
{
    return exporter->reader ? cairn_reader_counts(exporter->reader)->lost : 0;
}

static int first_error(const struct cairn_exporter *exporter, int err)
{
    if (!err)
        err = exporter->out.error;
    return err ? err : exporter->text.error;
}

int cairn_exporter_event(struct cairn_exporter *exporter, struct cairn_reader *reader,
                         const struct cairn_event *event)
{
    exporter->reader = reader;
    exporter->counts.events++;
    if (event->stack && !exporter->format->has_stacks)
        exchange_note(exporter, CAIRN_EXPORTER_STACKS_LEFT_OUT);
    return first_error(exporter, exporter->format->event(exporter, event));
}

int cairn_exporter_finish(struct cairn_exporter *exporter, struct cairn_reader *reader)
{
    int err;

    exporter->reader = reader;
    err = first_error(exporter, exporter->format->finish(exporter));
    if (!err && exporter->out.begin)
        err = export_output_flush(&exporter->out);
    return err ? err : exchange_target_commit(&exporter->target);
}

const struct cairn_exporter_counts *cairn_exporter_counts(const struct cairn_exporter *exporter)
{
    return &exporter->counts;
}

const char *cairn_exporter_problem(const struct cairn_exporter *exporter)
{
    return *exporter->problem ? exporter->problem : NULL;
}
