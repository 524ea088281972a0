/* SPDX-License-Identifier: MIT */
/* Stores the last errors, and formats them as in the file error_log of tracefs. */
#include "kernel/error_log.h"

#include "core/errno.h"

#define COMMAND "  Command: "

static size_t used_bytes(const struct kernel_error_log *log)
{
    size_t used = 0;

    for (uint32_t i = 0; i < log->count; i++)
        used += log->entries[i].command_length;
    return used;
}

static void remove_oldest(struct kernel_error_log *log)
{
    uint32_t gone = log->entries[0].command_length;

    __builtin_memmove(log->commands, log->commands + gone, used_bytes(log) - gone);
    log->count--;
    __builtin_memmove(log->entries, log->entries + 1, log->count * sizeof(log->entries[0]));
}

void kernel_error_log_init(struct kernel_error_log *log, void *memory, size_t memory_bytes)
{
    *log =
        (struct kernel_error_log){.commands = (char *)memory, .commands_max_bytes = memory_bytes};
}

int kernel_error_log_add(struct kernel_error_log *log, const struct kernel_error_log_entry *entry,
                         const char *command)
{
    uint32_t length = entry->command_length;

    if (length > log->commands_max_bytes)
        return ENOSPC;
    while (log->count == KERNEL_ERROR_LOG_ENTRIES_MAX ||
           log->commands_max_bytes - used_bytes(log) < length)
        remove_oldest(log);
    if (length)
        __builtin_memcpy(log->commands + used_bytes(log), command, length);
    log->entries[log->count++] = *entry;
    return 0;
}

void kernel_error_log_clear(struct kernel_error_log *log)
{
    log->count = 0;
}

void kernel_error_log_add_entry(struct cairn_text *t, const struct kernel_error_log_entry *entry,
                                const char *command)
{
    core_text_put(t, "[");
    core_text_add_time(t, entry->time_ns);
    cairn_text_printf(t, "] %s: error: %s\n" COMMAND, entry->where, entry->reason);
    core_text_add(t, (struct cairn_slice){command, entry->command_length});
    core_text_put(t, "\n");
    core_text_fill(t, ' ', sizeof(COMMAND) - 1 + (size_t)entry->position);
    core_text_put(t, "^\n");
}

int kernel_error_log_write_entry(const struct kernel_error_log_entry *entry, const char *command,
                                 char *text, size_t size_bytes, size_t *ret_length)
{
    struct cairn_text t = cairn_text(text, size_bytes);

    kernel_error_log_add_entry(&t, entry, command);
    return core_text_end(&t, ret_length);
}

int kernel_error_log_write(const struct kernel_error_log *log, char *text, size_t size_bytes,
                           size_t *ret_length)
{
    struct cairn_text t = cairn_text(text, size_bytes);
    const char *command = log->commands;

    for (uint32_t i = 0; i < log->count; i++) {
        kernel_error_log_add_entry(&t, &log->entries[i], command);
        command += log->entries[i].command_length;
    }
    return core_text_end(&t, ret_length);
}
