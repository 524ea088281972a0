/* SPDX-License-Identifier: MIT */
/*
 * Returns records in the order of time: reads them, and holds them until the end of a round allows
 * them to be returned.
 */
#include "perf_data/file.h"

#include <cairn/tracepoint.h>

#include <errno.h>

/*
 * A stream without rounds would be held whole. At this number of full blocks the earlier half is
 * returned; if that does not help, because every block has records of all times, all of it.
 */
#define BLOCKS_MAX  256u
#define BLOCKS_STEP 32u

/* A record may have been read ahead, but has a place in the map. */
static int add(struct cairn_perf_file *file, const struct cairn_perf_record *record)
{
    const struct perf_data_order_entry entry = {
        record->time_ns, perf_data_source_in_map(&file->source, record->data),
        (struct perf_data_attr *)(uintptr_t)record->attr};

    return perf_data_order_add(&file->order, &entry);
}

static int hold(struct cairn_perf_file *file, const struct cairn_perf_record *record)
{
    int err = file->spans.is_used ? perf_data_spans_add(file, record) : add(file, record);

    if (err)
        return err;
    if (record->time_ns < file->handed_out_ns)
        file->counts.late++;
    if (file->spans.is_used) {
        perf_data_spans_add_following(file);
        return 0;
    }
    perf_data_source_hold(&file->source, record->data);
    if (file->blocks.in_use < (file->relief ? file->relief : BLOCKS_MAX))
        return 0;
    if (file->blocks.in_use < 2 * BLOCKS_MAX) {
        file->relief = file->blocks.in_use + BLOCKS_STEP;
        perf_data_order_half(&file->order);
    } else {
        file->relief = 0;
        perf_data_order_all(&file->order);
    }
    return 0;
}

static void let_go(struct cairn_perf_file *file, const struct perf_data_order_entry *entry,
                   struct cairn_perf_record *ret_record)
{
    uint64_t offset;

    perf_data_record_release(file); /* metadata that failed may have left a block */
    file->held = perf_data_source_block_of(&file->source, entry->data);
    if (file->held)
        offset = perf_data_block_offset(file->held, entry->data);
    else
        offset = (uint64_t)(entry->data - file->source.map);
    file->handed_out_ns = entry->time_ns;
    perf_data_record_refill(file, entry, offset, ret_record);
}

static bool take_ready(struct cairn_perf_file *file, struct cairn_perf_record *ret_record)
{
    struct perf_data_order_entry entry;

    if (cairn_likely(file->spans.is_used)) {
        if (!perf_data_spans_next(file, ret_record))
            return false;
        file->handed_out_ns = ret_record->time_ns;
        return true;
    }
    if (!perf_data_order_next(&file->order, &entry))
        return false;
    let_go(file, &entry, ret_record);
    return true;
}

static int end_round(struct cairn_perf_file *file)
{
    file->relief = 0;
    if (file->spans.is_used)
        return perf_data_spans_end_round(file);
    perf_data_order_end_round(&file->order);
    return 0;
}

static int end_all(struct cairn_perf_file *file)
{
    if (file->spans.is_used)
        return perf_data_spans_all(file);
    perf_data_order_all(&file->order);
    return 0;
}

/* Reads until a record is ready. */
static int next_in_time(struct cairn_perf_file *file, struct cairn_perf_record *ret_record)
{
    for (;;) {
        bool over = file->stopped;
        int err;

        if (take_ready(file, ret_record))
            return 0;
        err = perf_data_record_next(file, ret_record);
        if (err && over)
            return err;
        if (!err && ret_record->type == CAIRN_PERF_RECORD_FINISHED_ROUND) {
            err = end_round(file);
            if (!err)
                return 0;
        }
        if (!err && !ret_record->time_ns)
            return 0;
        if (!err)
            err = hold(file, ret_record);
        if (err) { /* the end, or an error: held records are returned first */
            file->stopped = true;
            if (err != ENODATA)
                perf_data_file_fail(file, err, file->source.offset, "no memory to sort records");
            (void)end_all(file); /* without memory, some are missing */
        }
    }
}

int cairn_perf_file_next_ordered(struct cairn_perf_file *file, struct cairn_perf_record *ret_record)
{
    int err;

    perf_data_record_release(file);
    err = next_in_time(file, ret_record);
    return err ? err : perf_data_record_hand_out(file, ret_record);
}
