/* SPDX-License-Identifier: MIT */
/* The layers that come with cairn. */
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
    CAIRN_STDERR_JSON,    /* a JSON object a line */
};

enum cairn_stderr_colours {
    CAIRN_COLOURS_AUTO, /* on a terminal, unless NO_COLOR is set to something, or TERM to dumb */
    CAIRN_COLOURS_ALWAYS,
    CAIRN_COLOURS_NEVER,
};

/*
 * Begins with CAIRN_STDERR_OPTIONS_INIT, or with zeros, a size and a descriptor. Members are added
 * at the end; zero is then the behaviour before.
 */
struct cairn_stderr_options {
    size_t size; /* of this struct, as the caller was compiled */
    int fd;      /* that lines are written to, one write(2) each; -1: standard error. Not closed */
    enum cairn_stderr_style style;
    enum cairn_stderr_colours colours;
    bool span_events; /* lines for the begin and the end of spans too, with how long they were, and
                       * for what they follow from */
};

#define CAIRN_STDERR_OPTIONS_INIT                                                               \
    {                                                                                           \
        sizeof(struct cairn_stderr_options), -1, CAIRN_STDERR_HUMAN, CAIRN_COLOURS_AUTO, false, \
    }

/*
 * Makes the layer. NULL options: human, to standard error. A line that cannot be written, since a
 * pipe that does not wait is full, or a disk, or there is no memory, is left out and counted by
 * cairn_tracing_lost; a pipe that nobody reads raises SIGPIPE, as for any write. Text of any bytes
 * stays in its line: control characters and what is not UTF-8 are escaped.
 *
 * Returns 0; EINVAL there is no such style, or the options have a wrong size; E2BIG options are set
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
    size_t size;                          /* of this struct, as the caller was compiled */
    const char *name;                     /* the provider's: letters, digits and underscores */
    const char *group;                    /* lower-case letters and digits; NULL: none */
    uint64_t default_keyword;             /* of what has none of its own; 0: 1 */
    const struct cairn_guid *provider_id; /* NULL: from the name. For ETW, which goes by it */
    bool common_schema; /* events of the Common Schema 4.0; only for consumers that want it */
};

#define CAIRN_EVENTHEADER_OPTIONS_INIT                                        \
    {                                                                         \
        sizeof(struct cairn_eventheader_options), NULL, NULL, 0, NULL, false, \
    }

/*
 * Makes a layer that writes EventHeader events to the kernel's user_events and to cairn's own
 * engine. When the layer becomes active, tracepoints are registered for those pairs of level and
 * keyword that call sites have and its filter wants; they stay registered until the process ends,
 * and other layers of the same name and group share them. Of an event that is larger than a record,
 * or than the kernel takes, the longest texts and counted bytes are cut, and its last field is
 * `truncated_bytes`.
 *
 * Returns 0; EINVAL a name with other characters, or a group with others, or options of a wrong
 * size or none; E2BIG name and group have 234 characters or more, or options are set that this
 * version lacks; ENOMEM; or what cairn_tracepoint_register said. Any thread; not in signal
 * handlers.
 */
CAIRN_API int cairn_eventheader_layer_create(const struct cairn_eventheader_options *options,
                                             struct cairn_layer **ret_layer);

/* The provider's id, by which ETW knows it. */
CAIRN_API void cairn_eventheader_layer_id(const struct cairn_layer *layer,
                                          struct cairn_guid *ret_id);

/* Lets go of a layer that was made here and is no subscriber's. NULL is accepted. */
CAIRN_API void cairn_layer_destroy(struct cairn_layer *layer);

/* ---- for a program's first line, and for what it has already ---- */

/*
 * A global subscriber with one layer: standard error, with the directives of CAIRN_LOG, or "error"
 * when that is not set. CAIRN_LOG_STYLE=human|compact|json chooses the style. Calling it again does
 * nothing.
 *
 * What is wrong in the environment is written to standard error, a line for each directive: one
 * that is wrong is left out and the others are in use, or "error" when there are none; one that
 * fits no call site known so far (cairn_directives_check) is in use; for a style that is not known
 * lines are human.
 *
 * Returns 0; EINVAL a directive or the style is wrong, and the rest is in use; ENOMEM; ENOSPC there
 * are 32 layers; EDEADLK called by a layer. Any thread; not in signal handlers. A program with
 * raised privileges ignores the environment.
 */
CAIRN_API int cairn_tracing_init(void);

/*
 * Other directives for the layer of cairn_tracing_init, while the program runs.
 *
 * ret_error  where and why, on EINVAL; may be NULL
 *
 * Returns 0; EINVAL the text is wrong, or NULL, and nothing has changed; ENOENT cairn_tracing_init
 * was not called; ENOMEM; EDEADLK called by a layer. Any thread; not in signal handlers.
 */
CAIRN_API int cairn_tracing_reload(const char *directives,
                                   struct cairn_directives_error *ret_error);

/* The subscriber of cairn_tracing_init, to add layers to it; NULL: there is none. It is not the
 * caller's to destroy. Any thread, any signal handler. */
CAIRN_API struct cairn_subscriber *cairn_tracing_subscriber(void);

/*
 * An event from a logger that a program has already, such as its own log function, or in place of
 * syslog(3): priority is LOG_EMERG to LOG_DEBUG, with or without a facility. EMERG to ERR are
 * ERROR, WARNING is WARN, NOTICE and INFO are INFO, DEBUG is DEBUG. The message ends as it does,
 * without a newline at its end.
 *
 * target  for filters; NULL: "log". It is copied when it is new, and so is its level's call site
 *         made, which stays: a program has as many targets as it has parts, not one for each event
 */
CAIRN_API void cairn_tracing_log(int priority, const char *target, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
CAIRN_API void cairn_tracing_vlog(int priority, const char *target, const char *format,
                                  va_list arguments) __attribute__((format(printf, 3, 0)));

#ifdef __cplusplus
}
#endif

#endif
