/* SPDX-License-Identifier: MIT */
/* A layer that writes lines of text. Each line is assembled in memory of the thread and written by
 * one write(2), under a lock: lines of several threads are not mixed. */
#include "tracing/stderr_layer.h"

#include "core/atomic.h"
#include "core/options.h"
#include "engine/clock.h"
#include "engine/locks.h"
#include "os/terminal.h"
#include "tracing/dispatch.h"
#include "tracing/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const level_names[] = {"", "OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"};

const char *tracing_level_name(uint8_t level)
{
    return level < sizeof(level_names) / sizeof(level_names[0]) ? level_names[level] : "?";
}

int64_t tracing_now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns how much of a text was written. A pipe accepts a long line in parts, so the lock makes
 * other writers to the same file wait for its end. The lock also disables cancellation: a thread
 * that was cancelled here would leave half a line. */
static size_t write_all(int fd, const char *text, size_t length)
{
    const enum engine_lock_id turn = (enum engine_lock_id)(
        ENGINE_LOCK_LINES + (unsigned)fd % (ENGINE_LOCK_LINES_END - ENGINE_LOCK_LINES));
    size_t done = 0;

    engine_lock_take(turn);
    while (done < length) {
        ssize_t written = os_terminal_write(fd, text + done, length - done);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    engine_lock_release(turn);
    return done;
}

/* True if the previous line has no end: the caller will write it. */
static bool take_torn(struct stderr_layer *layer)
{
    return core_load_relaxed(&layer->is_torn) && core_exchange_relaxed(&layer->is_torn, false);
}

/* Lines that standard error does not accept are counted as lost, without waiting: a pipe or a disk
 * may be full. If a part of a line was written, the next line begins with a newline. */
static void write_line(struct stderr_layer *layer, const struct tracing_line_source *source)
{
    struct tracing_line *line = &tracing_thread_self->line;
    bool was_torn = take_torn(layer);
    int saved_errno = errno;
    size_t written = 0;

    line->length = 0;
    line->is_cut = false;
    if (was_torn)
        tracing_line_add_char(line, '\n');
    layer->format(line, layer, source);
    tracing_line_add_char(line, '\n');
    if (!line->is_cut)
        written = write_all(layer->fd, line->text, line->length);
    if (line->is_cut || written < line->length) {
        tracing_dispatch_count_lost();
        if (written != (was_torn ? 1 : 0)) /* a part of the line */
            core_store_relaxed(&layer->is_torn, true);
    }
    errno = saved_errno;
}

static void on_event(struct cairn_layer *base, const struct cairn_tracing_event *event)
{
    struct stderr_layer *layer = (struct stderr_layer *)base;
    const struct tracing_line_source source = {
        .site = event->site,
        .values = event->values,
        .message = event->message,
        .message_bytes = event->message_bytes,
        .span = cairn_layer_span(base, event->span),
    };

    write_line(layer, &source);
}

static void on_new(struct cairn_layer *base, struct cairn_span *span)
{
    const struct tracing_line_source source = {.site = cairn_span_callsite(span),
                                               .message = "new",
                                               .message_bytes = sizeof("new") - 1,
                                               .span = span,
                                               .is_begin = true};

    write_line((struct stderr_layer *)base, &source);
}

static void on_follows_from(struct cairn_layer *base, struct cairn_span *span,
                            struct cairn_span *cause)
{
    const struct tracing_line_source source = {.site = cairn_span_callsite(span),
                                               .message = "follows_from",
                                               .message_bytes = sizeof("follows_from") - 1,
                                               .span = span,
                                               .cause = cause};

    write_line((struct stderr_layer *)base, &source);
}

static void on_close(struct cairn_layer *base, struct cairn_span *span)
{
    const struct tracing_line_source source = {
        .site = cairn_span_callsite(span),
        .message = "close",
        .message_bytes = sizeof("close") - 1,
        .span = span,
        .is_end = true,
        .duration_ns = os_clock_ns() - cairn_span_begin_ns(span),
    };

    if (!cairn_span_is_inherited(span))
        write_line((struct stderr_layer *)base, &source);
}

static void destroy(struct cairn_layer *base)
{
    free(base);
}

/* no-color.org: set and not empty. */
static bool has_colours(enum cairn_stderr_colours colours, int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    if (colours != CAIRN_COLOURS_AUTO)
        return colours == CAIRN_COLOURS_ALWAYS;
    return !(no_color && *no_color) && !(terminal && !strcmp(terminal, "dumb")) &&
           os_terminal_shows_colours(fd);
}

int cairn_stderr_layer_create(const struct cairn_stderr_options *given,
                              struct cairn_layer **ret_layer)
{
    static const tracing_line_format formats[] = {
        [CAIRN_STDERR_HUMAN] = tracing_line_format_human,
        [CAIRN_STDERR_COMPACT] = tracing_line_format_compact,
        [CAIRN_STDERR_JSON] = tracing_line_format_json,
    };
    struct cairn_stderr_options options = CAIRN_STDERR_OPTIONS_INIT;
    struct stderr_layer *layer;
    int error =
        core_options_copy(given, CORE_OPTIONS_BYTES_TO(struct cairn_stderr_options, span_events),
                          sizeof(options), &options);

    if (error)
        return error;
    if ((unsigned)options.style >= sizeof(formats) / sizeof(formats[0]))
        return EINVAL;
    layer = calloc(1, sizeof(*layer));
    if (!layer)
        return ENOMEM;
    layer->base = (struct cairn_layer){.event = on_event, .destroy = destroy, .is_ours = true};
    if (options.span_events) {
        layer->base.span_new = on_new;
        layer->base.span_follows_from = on_follows_from;
        layer->base.span_close = on_close;
    }
    layer->fd = options.fd < 0 ? STDERR_FILENO : options.fd;
    layer->format = formats[options.style];
    layer->has_colours = has_colours(options.colours, layer->fd);
    *ret_layer = &layer->base;
    return 0;
}

void cairn_layer_destroy(struct cairn_layer *layer)
{
    struct engine_edge edge;

    if (!layer || !layer->destroy)
        return;
    engine_edge_enter(&edge);
    layer->destroy(layer);
    engine_edge_leave(&edge);
}
