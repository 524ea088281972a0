/* SPDX-License-Identifier: MIT */
/*
 * Rotation: the file is completed, and another one continues. Numbers that only mean something
 * within a file begin anew: those of processes, of descriptors, and of what was lost; and all names
 * are written again. So each file can be read alone.
 */
#include "session/internal.h"
#include "session/kernel.h"
#include "session/known.h"
#include "session/missing.h"
#include "session/resume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lines of the counter that records still in buffers may need: the last, and the one before. */
#define LINES 2u

/* ---- options, for the files that follow ---- */

int session_copy_options(struct cairn_session *session, const struct cairn_session_options *options)
{
    session->output = *options;
    session->output.args = NULL;
    session->output.arg_count = 0;
    if (!options->arg_count)
        return 0;
    session->args = calloc((size_t)options->arg_count, sizeof(*session->args));
    if (!session->args)
        return ENOMEM;
    for (; session->output.arg_count < options->arg_count; session->output.arg_count++) {
        char *copy = strdup(options->args[session->output.arg_count]);

        if (!copy)
            return ENOMEM;
        session->args[session->output.arg_count] = copy;
    }
    session->output.args = session->args;
    return 0;
}

void session_free_options(struct cairn_session *session)
{
    for (int i = 0; i < session->output.arg_count; i++)
        free((void *)(uintptr_t)session->args[i]);
    free(session->args);
}

/* ---- the state of a file ---- */

static void forget_process(struct session_process *process)
{
    process->number_in_file = 0;
    session_free_known(process);
}

static void forget_numbers(struct cairn_session *session)
{
    session->last_copied.piece = 0;
    for (struct session_directory *d = session->directories; d; d = d->next) {
        for (struct session_pool *pool = d->pools; pool; pool = pool->next) {
            for (uint32_t i = 0; i < pool->process_count; i++)
                forget_process(&pool->processes[i]);
            session_forget_names(pool);
        }
    }
}

static void put_lines(struct cairn_session *session)
{
    const struct session_ticks *ticks = &session->ticks;
    uint64_t first = ticks->count > LINES ? ticks->count - LINES : 0;

    for (uint64_t i = first; session->trace && i < ticks->count; i++)
        session_trace_add_line(session->trace, &ticks->lines[i % SESSION_LINES_MAX], i == first);
}

/* Losses are those since the file before. */
static void begin_losses(struct cairn_session *session)
{
    session->missing_before = session_missing(&session->counts);
    session->written_missing = (struct cairn_perf_missing){0};
}

static int end_file(struct cairn_session *session, struct session_trace *next)
{
    int error;

    session_sum_missing(session);
    session_write_missing(session);
    session_finish_output(session);
    if (next)
        session_trace_precede(session->trace, next);
    error = session->error;
    session->unstored_before += session->writer->type->unstored(session->writer);
    session->writer->type->destroy(session->writer);
    return error;
}

/* After a file that could not be begun, not with each chunk. */
void session_limit_file(struct cairn_session *session)
{
    uint64_t limit = session->output.file_bytes;
    int fd;

    if (!limit || !session->output.next_file || session->error ||
        session_output_bytes(session) < limit)
        return;
    fd = session->output.next_file(session->output.next_file_context);
    if (fd < 0 || cairn_session_rotate(session, fd))
        session->output.file_bytes = 2 * limit;
}

int cairn_session_rotate(struct cairn_session *session, int fd)
{
    struct session_sink *writer = session->writer;
    struct session_trace *trace = session->trace;
    struct session_sink *next;
    struct session_trace *next_trace;
    struct cairn_session_options options = session->output;
    int error;

    if (!writer || options.mode != CAIRN_PERF_FILE || options.flight_bytes || options.flight_ns)
        return EINVAL;
    if (session->error)
        return session->error;
    /* The next file first: if it cannot be begun, this one continues. */
    options.fd = fd;
    error = session_open_output(session, &options);
    if (error) {
        session->writer = writer;
        session->trace = trace;
        return error;
    }
    next = session->writer;
    next_trace = session->trace;
    if (session->resume)
        session_trace_resume(next_trace, session->resume);
    session->writer = writer;
    session->trace = trace;
    error = end_file(session, next_trace);
    session->writer = next;
    session->trace = next_trace;
    begin_losses(session);
    forget_numbers(session);
    put_lines(session);
    if (!error)
        error = session_put_tracepoints(session);
    if (!error)
        error = session_kernel_continue(session);
    session_fail(session, error); /* the next poll returns it */
    session->counts.bytes = session_output_bytes(session);
    return 0;
}
