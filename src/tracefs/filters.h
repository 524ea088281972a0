/* SPDX-License-Identifier: MIT */
/*
 * The filters of events, and the errors of those that were refused. They are in a file that all
 * programs share, and end with the text session and with their event. All under the registry's
 * lock.
 */
#ifndef TRACEFS_FILTERS_H
#define TRACEFS_FILTERS_H

#include "tracefs/event.h"
#include "tracefs/text_session.h"

#include <cairn/filter.h>

/*
 * Sets the filter of an event, as a write to its `filter` file. A filter that does not compile
 * removes the old one, and is logged with its error, or with `shown` if that is not NULL. Returns
 * 0; EINVAL it is malformed; ENODEV the event is gone; ENOMEM; or the error of a system call.
 */
int tracefs_filters_set(struct tracefs_lines_file *file, uint64_t id, struct cairn_slice text,
                        const struct cairn_filter_error *shown);

/* Sets that of each event of a system, or its error. Returns 0, also then; EINVAL a text that is
 * too long; or as tracefs_filters_set. */
int tracefs_filters_set_all(struct tracefs_lines_file *file, uint32_t system,
                            struct cairn_slice text);

/* Prints the content of the `filter` file. */
void tracefs_filters_print(const struct tracefs_lines_file *file, uint64_t id,
                           struct engine_output *output);

/* True if a record, given with its head, passes the filter. */
bool tracefs_filters_choose(const struct tracefs_lines_file *file,
                            const struct tracefs_event *event, const uint8_t *record,
                            uint32_t size_bytes, const char comm[16]);

void tracefs_filters_print_errors(const struct tracefs_lines_file *file,
                                  struct engine_output *output);

#endif
