/* SPDX-License-Identifier: MIT */
/* The layers of the library. */
#ifndef CAIRN_TRACING_LAYERS_H
#define CAIRN_TRACING_LAYERS_H

#include <cairn/guid.h>
#include <cairn/tracing/layer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- lines of text ---- */

enum cairn_stderr_style {
    CAIRN_STDERR_HUMAN,   /* time, level, spans with their fields, target, message, fields */
    CAIRN_STDERR_COMPACT, /* time of day, level, target, message, fields, the spans' fields */
    CAIRN_STDERR_JSON,    /* a JSON object on each line */
};

enum cairn_stderr_colours {
    CAIRN_COLOURS_AUTO, /* on a terminal, unless NO_COLOR is set and not empty, or TERM is dumb */
    CAIRN_COLOURS_ALWAYS,
    CAIRN_COLOURS_NEVER,
};

/*
 * Begins with CAIRN_STDERR_OPTIONS_INIT, or with zeros, a size and a descriptor. Members are added
 * at the end; zero is then the behaviour before.
 */
struct cairn_stderr_options {
    size_t size; /* of this struct, as the caller was compiled */
    int fd;      /* gets lines, one write(2) each; -1: standard error. Not closed */
    enum cairn_stderr_style style;
    enum cairn_stderr_colours colours;
    bool span_events; /* also lines for the begin and the end of spans, with their duration, and for
                         the spans that they follow from */
};

#define CAIRN_STDERR_OPTIONS_INIT                                                               \
    {                                                                                           \
        sizeof(struct cairn_stderr_options), -1, CAIRN_STDERR_HUMAN, CAIRN_COLOURS_AUTO, false, \
    }

/*
 * Creates the layer. NULL options: human, to standard error. A line that cannot be written, because
 * a non-blocking pipe or a disk is full, or there is no memory, is lost and counted by
 * cairn_tracing_lost; a pipe without a reader raises SIGPIPE, as for any write. Text of any bytes
 * stays on its line: control characters and bytes that are not UTF-8 are escaped.
 *
 * Returns 0; EINVAL no such style, or the options have a wrong size; E2BIG options are set
 * that this version lacks; ENOMEM. Any thread.
 */
CAIRN_API int cairn_stderr_layer_create(const struct cairn_stderr_options *options,
                                        struct cairn_layer **ret_layer);

/* ---- EventHeader events ---- */

/*
 * Begins with CAIRN_EVENTHEADER_OPTIONS_INIT, or with zeros and a size; a name is necessary.
 * Members are added at the end; zero is then the behaviour before.
 */
struct cairn_eventheader_options {
    size_t size;              /* of this struct, as the caller was compiled */
    const char *name;         /* of the provider: letters, digits and underscores */
    const char *group;        /* lower-case letters and digits; NULL: none */
    uint64_t default_keyword; /* of events and spans without a keyword; 0: 1 */
    const struct cairn_guid
        *provider_id;   /* NULL: derived from the name. ETW identifies providers by it */
    bool common_schema; /* events of the Common Schema 4.0; only for consumers that want it */
    /* Spans begin also while nobody records, so that a recorder which begins later gets those that
     * are open. It costs what a span costs. Without it these are the spans that other layers have
     * taken. */
    uint64_t keeps_spans; /* 0 or 1 */
};

#define CAIRN_EVENTHEADER_OPTIONS_INIT                                           \
    {                                                                            \
        sizeof(struct cairn_eventheader_options), NULL, NULL, 0, NULL, false, 0, \
    }

/*
 * Creates a layer that writes EventHeader events to the kernel's user_events and to cairn's engine.
 * When the layer becomes active, tracepoints are registered for the levels and keywords of those
 * call sites that its filter lets through; they stay registered until the process ends, and other
 * layers of the same name and group share them. If an event is larger than a record, or than the
 * kernel's limit, its longest texts and counted bytes are truncated, and its last field is
 * `truncated_bytes`.
 *
 * Returns 0; EINVAL a name or a group with other characters, or no options or ones with an invalid
 * size; E2BIG name and group have 234 characters or more, or options are set that this version does
 * not have; ENOMEM; or the error of cairn_tracepoint_register. Any thread; not in signal
 * handlers.
 */
CAIRN_API int cairn_eventheader_layer_create(const struct cairn_eventheader_options *options,
                                             struct cairn_layer **ret_layer);

/* The provider's id, by which ETW identifies it. */
CAIRN_API void cairn_eventheader_layer_id(const struct cairn_layer *layer,
                                          struct cairn_guid *ret_id);

/* Frees a layer that was created here and is not in a subscriber. Accepts NULL. */
CAIRN_API void cairn_layer_destroy(struct cairn_layer *layer);

/* ---- initializing with one call; events of existing loggers ---- */

/*
 * Sets a global subscriber with one layer: standard error, with the directives of CAIRN_LOG, or
 * "error" if it is not set. CAIRN_LOG_STYLE=human|compact|json selects the style. Calling it again
 * has no effect.
 *
 * Errors in the environment are reported on standard error, one line for each directive. An invalid
 * directive is ignored and the others are used, or "error" if there are no others; a directive that
 * matches no call site known so far (cairn_directives_check) is used; with an unknown style, lines
 * are human.
 *
 * Returns 0; EINVAL a directive or the style is invalid, and the rest is used; ENOMEM; ENOSPC there
 * are 32 layers; EDEADLK called by a layer. Any thread; not in signal handlers. A program with
 * raised privileges ignores the environment.
 */
CAIRN_API int cairn_tracing_init(void);

/*
 * Replaces the directives of the layer of cairn_tracing_init, while the program runs.
 *
 * ret_error  the position and the reason, on EINVAL; may be NULL
 *
 * Returns 0; EINVAL the text is invalid, or NULL, without any change; ENOENT cairn_tracing_init was
 * not called; ENOMEM; EDEADLK called by a layer. Any thread; not in signal handlers.
 */
CAIRN_API int cairn_tracing_reload(const char *directives,
                                   struct cairn_directives_error *ret_error);

/* The subscriber of cairn_tracing_init, to add layers to it; NULL: there is none. Do not destroy
 * it. Any thread, any signal handler. */
CAIRN_API struct cairn_subscriber *cairn_tracing_subscriber(void);

/*
 * Emits an event from a logger that a program already has, such as its own log function, or instead
 * of syslog(3): priority is LOG_EMERG to LOG_DEBUG, with or without a facility. EMERG to ERR are
 * ERROR, WARNING is WARN, NOTICE and INFO are INFO, DEBUG is DEBUG. A newline at the end of the
 * message is removed.
 *
 * target  for filters; NULL: "log". A new target is copied, and a call site is created for each of
 *         its levels, which is never freed: use one target for each part of the program, not one
 * for each event
 */
CAIRN_API void cairn_tracing_log(int priority, const char *target, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
CAIRN_API void cairn_tracing_vlog(int priority, const char *target, const char *format,
                                  va_list arguments) __attribute__((format(printf, 3, 0)));

#ifdef __cplusplus
}
#endif

#endif
