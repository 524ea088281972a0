/* SPDX-License-Identifier: MIT */
/*
 * The error log: the errors of the last commands, as in the file `error_log` of tracefs.
 *
 *     [  123.456789] event filter parse error: error: Field not found
 *       Command: nosuch == 1
 *                       ^
 *
 * It is in the caller's memory and holds the last KERNEL_ERROR_LOG_ENTRIES_MAX errors, fewer if
 * their commands do not fit. Nothing here allocates. One thread uses a log at a time: its owner
 * locks it.
 */
#ifndef KERNEL_ERROR_LOG_H
#define KERNEL_ERROR_LOG_H

#include "core/text.h"

#include <stddef.h>
#include <stdint.h>

#define KERNEL_ERROR_LOG_ENTRIES_MAX 8u

/* Linux's prefix of errors of filters. */
#define KERNEL_ERROR_LOG_FILTER "event filter parse error"

struct kernel_error_log_entry {
    uint64_t time_ns;
    const char *where;       /* KERNEL_ERROR_LOG_FILTER; must live as long as the entry */
    const char *reason;      /* "Field not found"; the same */
    uint32_t position;       /* of the caret, from the command's first byte */
    uint32_t command_length; /* in bytes */
};

struct kernel_error_log {
    struct kernel_error_log_entry entries[KERNEL_ERROR_LOG_ENTRIES_MAX]; /* the oldest first */
    uint32_t count;
    char *commands; /* the commands of all entries, concatenated, in the caller's memory */
    size_t commands_max_bytes;
};

/* Makes an empty log; `memory` is for the commands, and remains the caller's. */
void kernel_error_log_init(struct kernel_error_log *log, void *memory, size_t memory_bytes);

/*
 * Adds an error. The oldest are removed if there is no space for it.
 *
 * entry    copied; its command_length bytes are at command, which is copied too
 *
 * Returns 0; ENOSPC the command is longer than the log's memory: the log is as before.
 */
int kernel_error_log_add(struct kernel_error_log *log, const struct kernel_error_log_entry *entry,
                         const char *command);

/* Removes all entries. */
void kernel_error_log_clear(struct kernel_error_log *log);

/*
 * Writes the text of one entry, as Linux does.
 *
 * command          of entry->command_length bytes
 * text, size_bytes the caller's memory, NUL-terminated on success
 * ret_length       bytes written without the NUL; may be NULL
 *
 * Returns 0; ENOSPC it does not fit.
 */
int kernel_error_log_write_entry(const struct kernel_error_log_entry *entry, const char *command,
                                 char *text, size_t size_bytes, size_t *ret_length);

/* Adds the same text to `t`. */
void kernel_error_log_add_entry(struct cairn_text *t, const struct kernel_error_log_entry *entry,
                                const char *command);

/* Writes the text of the whole log, the oldest first; nothing when it is empty. The same. */
int kernel_error_log_write(const struct kernel_error_log *log, char *text, size_t size_bytes,
                           size_t *ret_length);

#endif
