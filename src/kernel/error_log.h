/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ERROR_LOG_H
#define KERNEL_ERROR_LOG_H

#include <cairn/error_log.h>

#include "core/text.h"

/* Adds the text of one entry: see cairn_error_log_write_entry. */
void cairn_i_error_log_add_entry(struct cairn_text *t, const struct cairn_error_log_entry *entry,
                                 const char *command);

#endif
