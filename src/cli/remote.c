/* SPDX-License-Identifier: MIT */
/* Answers requests to a recorder. */
#include "cli/remote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_remote_set_name(struct cli_remote *r, const char *name)
{
    if (!cairn_recorder_name_is_valid(name)) {
        cli_error(r->verb,
                  "invalid --name %s: expected up to %d letters, digits, \"_\", \"-\" and \".\"",
                  name, CAIRN_RECORDER_NAME_BYTES - 1);
        return CLI_USAGE;
    }
    r->name = name;
    return CLI_OK;
}

int cli_remote_open(struct cli_remote *r)
{
    const char *name = r->name ? r->name : r->own_name;
    int error;

    if (!r->name && !r->flight->is_wanted)
        return CLI_OK;
    (void)snprintf(r->own_name, sizeof(r->own_name), "record-%d", (int)getpid());
    error = cairn_recorder_open(name, &r->recorder);
    if (!error)
        return CLI_OK;
    if (error == EBUSY)
        cli_error(r->verb, "there is a recorder of the name %s already", name);
    else
        cli_errno(r->verb, error, "cannot have the name %s", name);
    return CLI_FAILED;
}

void cli_remote_close(struct cli_remote *r)
{
    cairn_recorder_close(r->recorder);
    r->recorder = NULL;
}

/* ---- answers ---- */

/* The path by which another process finds the file, which need not exist yet. */
static char *absolute(const char *path)
{
    char *here = *path == '/' ? NULL : getcwd(NULL, 0);
    char *there = NULL;

    if (!here)
        return strdup(path);
    if (asprintf(&there, "%s/%s", here, path) < 0)
        there = NULL;
    free(here);
    return there;
}

static void answer_status(const struct cli_remote *r, char *text, size_t text_bytes)
{
    struct cairn_session_counts counts = *cairn_session_counts(r->collection->session);
    char *path = absolute(r->output->path);

    (void)snprintf(text, text_bytes,
                   "ok\nevents %" PRIu64 "\nlost %" PRIu64 "\nbytes %" PRIu64 "\nseconds %" PRIu64
                   "\nmode %s\nfile %s\n",
                   counts.events, counts.lost + counts.unstored, counts.bytes,
                   cli_collection_elapsed_ns(r->collection) / 1000000000,
                   r->flight->is_wanted ? "flight" : "file", path ? path : r->output->path);
    free(path);
}

static void answer_snapshot(const struct cli_remote *r, char *text, size_t text_bytes)
{
    char *path = NULL;
    char *there;
    int error = r->flight->is_wanted
                    ? cli_flight_snapshot(r->flight, r->collection->recorder, NULL, &path)
                    : EOPNOTSUPP;

    if (error == EOPNOTSUPP) {
        (void)snprintf(text, text_bytes,
                       "error it is no flight recorder (cairn record --flight)\n");
        return;
    }
    if (error) {
        (void)snprintf(text, text_bytes, "error %s\n", strerror(error));
        return;
    }
    there = absolute(path);
    (void)snprintf(text, text_bytes, "ok\nevents %" PRIu64 "\nfile %s\n", r->flight->events,
                   there ? there : path);
    free(there);
    free(path);
}

static const char *reason_of(int error)
{
    switch (error) {
    case EEXIST:
        return "it is recorded already";
    case ENOENT:
        return "there is no such pattern in the session";
    case EINVAL:
        return "the pattern is invalid, or the only one";
    default:
        return strerror(error);
    }
}

static void answer_change(int error, char *text, size_t text_bytes)
{
    if (error)
        (void)snprintf(text, text_bytes, "error %s\n", reason_of(error));
    else
        (void)snprintf(text, text_bytes, "ok\n");
}

/* A pattern, and perhaps a filter. */
static int add(const struct cli_remote *r, const char *words)
{
    const char *end = strchrnul(words, *CLI_REMOTE_FILTER);
    char *pattern = strndup(words, (size_t)(end - words));
    int error =
        pattern ? cli_collection_add_later(r->collection, pattern, *end ? end + 1 : NULL) : ENOMEM;

    free(pattern);
    return error;
}

/* The words after a request; NULL: it is another one. */
static const char *words_after(const char *request, const char *name)
{
    size_t length = strlen(name);

    return strncmp(request, name, length) != 0 ? NULL : request + length;
}

static void answer(void *context, const char *request, char *text, size_t text_bytes)
{
    struct cli_remote *r = context;
    const char *pattern;

    if ((pattern = words_after(request, "add "))) {
        answer_change(add(r, pattern), text, text_bytes);
    } else if ((pattern = words_after(request, "remove "))) {
        answer_change(cli_collection_remove_later(r->collection, pattern), text, text_bytes);
    } else if (!strcmp(request, "status")) {
        answer_status(r, text, text_bytes);
    } else if (!strcmp(request, "snapshot")) {
        answer_snapshot(r, text, text_bytes);
    } else if (!strcmp(request, "stop")) {
        r->collection->is_stopped = true;
        (void)snprintf(text, text_bytes, "ok\n");
    } else {
        (void)snprintf(text, text_bytes, "error there is no such request\n");
    }
}

void cli_remote_poll(struct cli_remote *r)
{
    if (r->recorder)
        cairn_recorder_poll(r->recorder, answer, r);
}
