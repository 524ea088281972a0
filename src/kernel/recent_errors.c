/* SPDX-License-Identifier: MIT */
/* Keeps the last errors of a trace, for the file error_log. */
#include "kernel/recent_errors.h"

#include "core/atomic.h"
#include "kernel/error_log.h"
#include "kernel/event_state.h"
#include "kernel/section.h"

struct cairn_i_error {
    struct cairn_i_garbage garbage;
    struct kernel_error_log_entry entry;
    char command[];
};

static void replace(struct cairn_trace *trace, uint32_t slot, struct cairn_i_error *error)
{
    struct cairn_i_error *old = core_exchange_acq_rel(&trace->errors[slot], error);

    if (old)
        kernel_trace_retire(trace, &old->garbage);
}

void kernel_error_note(struct cairn_trace *trace, const char *text, size_t length,
                       const struct cairn_filter_error *error)
{
    struct cairn_slice s = core_slice_written((struct cairn_slice){text, (uint32_t)length});
    struct cairn_i_error *made = kernel_trace_allocate(trace, sizeof(*made) + s.length);

    if (!made)
        return;
    made->entry = (struct kernel_error_log_entry){.time_ns = kernel_trace_now_ns(trace),
                                                  .where = KERNEL_ERROR_LOG_FILTER,
                                                  .reason = error->reason,
                                                  .position = error->position,
                                                  .command_length = s.length};
    __builtin_memcpy(made->command, s.text, s.length);
    replace(trace, core_fetch_add_relaxed(&trace->error_count, 1) % CAIRN_TRACE_ERRORS, made);
}

void kernel_error_show(const struct cairn_trace *trace, struct cairn_text *to)
{
    uint32_t first = core_load_relaxed(&trace->error_count);

    for (uint32_t i = 0; i < CAIRN_TRACE_ERRORS; i++) {
        const struct cairn_i_error *error =
            core_load_acquire(&trace->errors[(first + i) % CAIRN_TRACE_ERRORS]);

        if (error)
            kernel_error_log_add_entry(to, &error->entry, error->command);
    }
}

void kernel_error_clear(struct cairn_trace *trace)
{
    for (uint32_t i = 0; i < CAIRN_TRACE_ERRORS; i++)
        replace(trace, i, NULL);
}
