/* SPDX-License-Identifier: MIT */
/* Snapshots of a flight recorder. */
#include "cli/flight.h"

#include "cli/numbered.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_BYTES ((uint64_t)64 << 20)

/* The limit for events that are limited by their age only. */
#define MOST_BYTES ((uint64_t)1 << 30)

/* ---- options ---- */

/* A size or an age. */
static bool parse_limit(struct cli_flight *f, const char *text)
{
    size_t bytes;

    if (cli_parse_age(text, &f->ns))
        return true;
    if (!cli_parse_size(text, &bytes) || bytes < CAIRN_SESSION_FLIGHT_MIN_BYTES)
        return false;
    f->bytes = bytes;
    return true;
}

static bool parse(struct cli_flight *f, const char *text)
{
    const char *comma = strchr(text, ',');
    char *first = strndup(text, comma ? (size_t)(comma - text) : strlen(text));
    bool is_valid = first && parse_limit(f, first) && (!comma || parse_limit(f, comma + 1));

    free(first);
    return is_valid && (!comma || (f->bytes && f->ns));
}

int cli_flight_set(struct cli_flight *f, const char *text)
{
    f->is_wanted = true;
    f->bytes = 0;
    f->ns = 0;
    if (!text) {
        f->bytes = DEFAULT_BYTES;
        return CLI_OK;
    }
    if (!parse(f, text)) {
        cli_error(f->verb,
                  "invalid --flight=%s: expected a size from 2M on, a time, or both: 64M, 30s, "
                  "30s,256M",
                  text);
        return CLI_USAGE;
    }
    if (!f->bytes)
        f->bytes = MOST_BYTES;
    return CLI_OK;
}

int cli_flight_check(struct cli_flight *f, struct cli_record_output *output,
                     struct cairn_session_options *options)
{
    f->output = output;
    if (!f->is_wanted)
        return CLI_OK;
    if (options->next_file || options->format != CAIRN_SESSION_TRACE || !output->target) {
        cli_error(f->verb, options->next_file ? "--flight and --rotate cannot be combined"
                           : output->target
                               ? "--flight needs a trace file, not perf.data"
                               : "--flight needs a file that can be created or replaced");
        return CLI_USAGE;
    }
    options->flight_bytes = f->bytes;
    options->flight_ns = f->ns;
    return CLI_OK;
}

/* ---- snapshots ---- */

/* Writes to a file that has another name meanwhile: nobody reads a part of it. */
static int write_file(struct cli_flight *f, struct cairn_session *session, const char *temporary,
                      const char *path)
{
    int fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : cairn_session_snapshot(session, fd, &f->events);

    if (fd >= 0 && close(fd) && !error)
        error = errno;
    if (!error && rename(temporary, path))
        error = errno;
    if (error && fd >= 0)
        (void)unlink(temporary);
    return error;
}

int cli_flight_snapshot(struct cli_flight *f, struct cairn_session *session, const char *path,
                        char **ret_path)
{
    char *name;
    char *temporary = NULL;
    int error = ENOMEM;

    *ret_path = NULL;
    if (!f->next)
        f->next = cli_numbered_next(f->output->target);
    name = path ? strdup(path) : cli_numbered_name(f->output->target, f->next);
    if (name && asprintf(&temporary, "%s.new.%d", name, (int)getpid()) >= 0)
        error = write_file(f, session, temporary, name);
    free(temporary);
    if (error) {
        free(name);
        return error;
    }
    f->next += !path;
    *ret_path = name;
    return 0;
}

void cli_flight_take(struct cli_flight *f, struct cairn_session *session)
{
    char number[CAIRN_NUMBER_TEXT_BYTES];
    char *path;
    int error = cli_flight_snapshot(f, session, NULL, &path);

    if (error)
        cli_errno(f->verb, error, "cannot write a snapshot");
    else if (!f->quiet)
        fprintf(stderr, "Snapshot: the latest %s event%s in %s.\n",
                cairn_number_text(f->events, number), cli_plural(f->events), path);
    free(path);
}

bool cli_flight_end(struct cli_flight *f, struct cairn_session *session)
{
    int error;

    if (cli_record_output_create(f->output)) {
        (void)cairn_session_snapshot(session, -1, &f->events); /* counts them as not stored */
        return false;
    }
    error = cairn_session_snapshot(session, f->output->fd, &f->events);
    if (error) {
        cli_errno(f->verb, error, "cannot write %s", f->output->path);
        return false;
    }
    cli_record_output_keep(f->output);
    return true;
}

void cli_flight_report(const struct cli_flight *f)
{
    char number[CAIRN_NUMBER_TEXT_BYTES];

    fprintf(stderr, "The latest %s event%s in %s. To read it: cairn decode -f text %s\n",
            cairn_number_text(f->events, number), cli_plural(f->events), f->output->path,
            f->output->path);
}
