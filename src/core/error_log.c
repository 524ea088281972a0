/* SPDX-License-Identifier: MIT */
#include "core/error_log.h"

#include "core/errno.h"

#define NS_PER_US 1000u
#define NS_PER_S  1000000000u

static size_t used_bytes(const struct cairn_error_log *log)
{
    size_t used = 0;

    for (uint32_t i = 0; i < log->count; i++)
        used += log->entries[i].command_length;
    return used;
}

static void remove_oldest(struct cairn_error_log *log)
{
    uint32_t gone = log->entries[0].command_length;

    __builtin_memmove(log->commands, log->commands + gone, used_bytes(log) - gone);
    log->count--;
    __builtin_memmove(log->entries, log->entries + 1, log->count * sizeof(log->entries[0]));
}

void cairn_error_log_init(struct cairn_error_log *log, void *memory, size_t memory_bytes)
{
    *log = (struct cairn_error_log){.commands = (char *)memory, .commands_max_bytes = memory_bytes};
}

int cairn_error_log_add(struct cairn_error_log *log, const struct cairn_error_log_entry *entry,
                        const char *command)
{
    uint32_t length = entry->command_length;

    if (length > log->commands_max_bytes)
        return ENOSPC;
    while (log->count == CAIRN_ERROR_LOG_ENTRIES_MAX ||
           log->commands_max_bytes - used_bytes(log) < length)
        remove_oldest(log);
    if (length)
        __builtin_memcpy(log->commands + used_bytes(log), command, length);
    log->entries[log->count++] = *entry;
    return 0;
}

void cairn_error_log_clear(struct cairn_error_log *log)
{
    log->count = 0;
}

static void add_spaces(struct cairn_text *t, uint32_t count)
{
    while (count-- && !t->full)
        cairn_text_add(t, CAIRN_SLICE(" "));
}

void cairn_i_error_log_add_entry(struct cairn_text *t, const struct cairn_error_log_entry *entry,
                                 const char *command)
{
    static const char prefix[] = "  Command: ";

    cairn_text_add(t, CAIRN_SLICE("["));
    cairn_text_add_number(t, entry->time_ns / NS_PER_S, 5, ' ');
    cairn_text_add(t, CAIRN_SLICE("."));
    cairn_text_add_number(t, entry->time_ns % NS_PER_S / NS_PER_US, 6, '0');
    cairn_text_add(t, CAIRN_SLICE("] "));
    cairn_text_add(t, cairn_slice_of(entry->where));
    cairn_text_add(t, CAIRN_SLICE(": error: "));
    cairn_text_add(t, cairn_slice_of(entry->reason));
    cairn_text_add(t, CAIRN_SLICE("\n"));
    cairn_text_add(t, cairn_slice_of(prefix));
    cairn_text_add(t, (struct cairn_slice){command, entry->command_length});
    cairn_text_add(t, CAIRN_SLICE("\n"));
    add_spaces(t, sizeof(prefix) - 1);
    add_spaces(t, entry->position);
    cairn_text_add(t, CAIRN_SLICE("^\n"));
}

int cairn_error_log_write_entry(const struct cairn_error_log_entry *entry, const char *command,
                                char *text, size_t size_bytes, size_t *ret_length)
{
    struct cairn_text t = cairn_text(text, size_bytes);

    cairn_i_error_log_add_entry(&t, entry, command);
    return cairn_text_end(&t, ret_length);
}

int cairn_error_log_write(const struct cairn_error_log *log, char *text, size_t size_bytes,
                          size_t *ret_length)
{
    struct cairn_text t = cairn_text(text, size_bytes);
    const char *command = log->commands;

    for (uint32_t i = 0; i < log->count; i++) {
        cairn_i_error_log_add_entry(&t, &log->entries[i], command);
        command += log->entries[i].command_length;
    }
    return cairn_text_end(&t, ret_length);
}
