/* SPDX-License-Identifier: MIT */
/* The file error_log: what was wrong with the last commands. */
#ifndef KERNEL_RECENT_ERRORS_H
#define KERNEL_RECENT_ERRORS_H

#include <cairn/filter.h>
#include <cairn/kernel/control.h>

#include "core/text.h"

/* Adds a message about a filter. Where there is no memory for it, there is none. */
void cairn_i_error_log(struct cairn_trace *trace, const char *text, size_t length,
                       const struct cairn_filter_error *error);

/* The file's text, and its end. In a section. */
void cairn_i_error_show(const struct cairn_trace *trace, struct cairn_text *to);
void cairn_i_error_clear(struct cairn_trace *trace);

#endif
