/* SPDX-License-Identifier: MIT */
/* The stacks of events, and the tree of their calls, as blocks. */
#include "report/stacks.h"

static void write_call(struct report_stacks *stacks, struct report_output *output,
                       const struct timeline_call *call)
{
    struct report_columns *rows = &stacks->node_rows;

    if (!rows->count)
        rows->first = stacks->written;
    report_columns_row(rows, 0, 0);
    report_bytes_difference(&rows->columns[0], call->caller, rows->last_event);
    report_bytes_varint(&rows->columns[1], call->function);
    rows->last_event = call->caller;
    if (rows->count == REPORT_BLOCK_ROWS_MAX)
        report_columns_write(rows, &stacks->node_blocks, output);
}

int report_stacks_add(struct report_stacks *stacks, struct report_output *output,
                      const struct cairn_event *event, const struct report_stack_event *of)
{
    struct report_columns *rows = &stacks->rows;
    uint32_t leaf = 0;
    int err = timeline_calls_enter_all(&stacks->calls, event, &leaf);

    if (err)
        return err;
    for (; stacks->written < stacks->calls.call_count; stacks->written++)
        write_call(stacks, output, &stacks->calls.calls[stacks->written]);
    if (!rows->count)
        rows->first = of->number;
    report_columns_row(rows, of->time_ns, of->time_ns);
    report_bytes_difference(&rows->columns[0], of->time_ns, rows->last_time);
    report_bytes_difference(&rows->columns[1], of->number, rows->last_event);
    report_bytes_varint(&rows->columns[2], of->thread);
    report_bytes_varint(&rows->columns[3], of->kind);
    report_bytes_varint(&rows->columns[4], leaf);
    rows->last_time = of->time_ns;
    rows->last_event = of->number;
    if (rows->count == REPORT_BLOCK_ROWS_MAX)
        report_columns_write(rows, &stacks->row_blocks, output);
    return 0;
}

void report_stacks_write(struct report_stacks *stacks, struct report_output *output)
{
    report_columns_write(&stacks->node_rows, &stacks->node_blocks, output);
    report_columns_write(&stacks->rows, &stacks->row_blocks, output);
}

void report_stacks_free(struct report_stacks *stacks)
{
    timeline_calls_free(&stacks->calls);
    report_columns_free(&stacks->node_rows);
    report_blocks_free(&stacks->node_blocks);
    report_columns_free(&stacks->rows);
    report_blocks_free(&stacks->row_blocks);
    *stacks = (struct report_stacks){0};
}
