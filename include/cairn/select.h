/* SPDX-License-Identifier: MIT */
/*
 * Selecting: the events of a reader (cairn/reader.h) that have certain names, threads, CPUs, and
 * values of fields. A range of time is an option of the reader, so that the rest need not be read.
 *
 * A selection is used by one thread at a time. Nothing here is for signal handlers.
 */
#ifndef CAIRN_SELECT_H
#define CAIRN_SELECT_H

#include <cairn/decode.h>
#include <cairn/filter.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_selection;

/*
 * Begins with CAIRN_SELECTION_OPTIONS_INIT, or with zeros and a size. Everything is copied. An
 * event is selected if each member that is set selects it. Members are added at the end; zero is
 * then the behaviour before.
 */
struct cairn_selection_options {
    size_t size; /* of this struct, as the caller was compiled */

    /* Globs, of which one must match: with a colon "PROVIDER:EVENT" or "SYSTEM:TRACEPOINT",
     * otherwise the name of the event or of its tracepoint. */
    const char *const *patterns;
    size_t pattern_count;

    /*
     * An expression in the language of cairn/filter.h, or NULL. Members of structs are named with
     * dots: "Peer.Port == 80", elements of arrays by their index, from 0: "Counts[2] > 5"; of
     * events of the kernel those of arrays of a fixed size. Text of any encoding, and values that
     * are printed as text (addresses, UUIDs), are compared as text; floating-point numbers by their
     * integral part. NaN and the missing number of a nullable field satisfy no comparison with a
     * number, not even "!=". `level`, `opcode`, `keyword`, `id`, `version`, `tag`, `pid` and `tid`
     * are those of an EventHeader event, unless it has such fields.
     */
    const char *filter;

    const uint32_t *pids; /* of processes; of which one must match, as below */
    size_t pid_count;
    const uint32_t *tids;
    size_t tid_count;
    const uint32_t *cpus;
    size_t cpu_count;
    const char *const *comms; /* globs of threads' names */
    size_t comm_count;
};

#define CAIRN_SELECTION_OPTIONS_INIT                                                               \
    {                                                                                              \
        sizeof(struct cairn_selection_options), NULL, 0, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, \
    }

/*
 * options        NULL: selects all events
 * ret_error      of a filter that is invalid whatever the fields are; may be NULL
 * ret_selection  destroyed by the caller
 *
 * Returns 0; EINVAL an invalid filter, or options of a wrong size; E2BIG options that this version
 * lacks are set, or a filter of CAIRN_FILTER_TEXT_MAX_BYTES; ENOMEM.
 */
CAIRN_API int cairn_selection_create(const struct cairn_selection_options *options,
                                     struct cairn_filter_error *ret_error,
                                     struct cairn_selection **ret_selection);

/* Accepts NULL. */
CAIRN_API void cairn_selection_destroy(struct cairn_selection *selection);

/*
 * Decides on an event. Events without the fields that the filter names are not selected.
 *
 * Returns 0; ENOMEM.
 */
CAIRN_API int cairn_selection_match(struct cairn_selection *selection,
                                    const struct cairn_event *event, bool *ret_is_selected);

/* Adds what another selection with the same options has found, for the two functions below: for
 * threads, each of which has a selection of its own. Returns 0; ENOMEM. */
CAIRN_API int cairn_selection_merge(struct cairn_selection *selection,
                                    const struct cairn_selection *other);

/* True if a pattern, by index, matched an event's name so far. */
CAIRN_API bool cairn_selection_has_matched(const struct cairn_selection *selection, size_t pattern);

/* The problem of the filter, if it could be applied to none of the events that the rest selected:
 * "a > 1 (at 3: Field not found)". NULL: none. The selection's own, changes with the next match. */
CAIRN_API const char *cairn_selection_problem(const struct cairn_selection *selection);

/*
 * False: the filter, as cairn_filter_compile would get it, is invalid for an event with any fields,
 * for the reason in ret_error. True also if there is no memory for the check.
 */
CAIRN_API bool cairn_filter_is_valid(const char *filter, struct cairn_filter_error *ret_error);

/*
 * False: a valid filter selects no event, whatever fields of these names it has, because it
 * contradicts itself: "Number > 5 && Number < 3". True if that is not certain.
 */
CAIRN_API bool cairn_filter_is_possible(const char *filter);

#ifdef __cplusplus
}
#endif

#endif
