/* SPDX-License-Identifier: MIT */
/* The errors of the last commands of a trace, as shown by the file error_log. */
#ifndef KERNEL_RECENT_ERRORS_H
#define KERNEL_RECENT_ERRORS_H

#include <cairn/filter.h>
#include <cairn/kernel/control.h>

#include "core/text.h"

/* Adds an error of a filter. Without memory it is dropped. */
void kernel_error_note(struct cairn_trace *trace, const char *text, size_t length,
                       const struct cairn_filter_error *error);

/* Adds the file's text, and removes all errors. In a section. */
void kernel_error_show(const struct cairn_trace *trace, struct cairn_text *to);
void kernel_error_clear(struct cairn_trace *trace);

#endif
