/* SPDX-License-Identifier: MIT */
/* Ranges of time with about equal numbers of events. */
#include "trace_file/parts.h"

/* A part's text should be short, since it is kept until its turn; a part should take longer than
 * finding its first event in the pieces that begin earlier. */
#define PART_EVENTS 24576u

/* An event counts as more if its data is large. */
#define BYTES_OF_EVENT 128u

void trace_file_parts_begin(struct trace_file_parts *parts, const struct trace_file_reader *reader)
{
    *parts = (struct trace_file_parts){
        .entries = reader->index.entries,
        .later_ns = reader->later_ns,
        .count = reader->index.count,
        .from_ns = reader->since_ns,
        .until_ns = reader->until_ns,
    };
}

static uint64_t weight_of(const struct trace_file_parts *parts,
                          const struct trace_file_index_entry *entry)
{
    if (!trace_file_has_events(entry->type) || entry->last_ns < parts->from_ns)
        return 0;
    return entry->events + entry->plain_bytes / BYTES_OF_EVENT;
}

/* Adds blocks until all events before some time are in them, and these are enough. Returns their
 * weight. */
static uint64_t add_blocks(struct trace_file_parts *parts)
{
    uint64_t weight = 0;

    while (parts->entry < parts->count) {
        const struct trace_file_index_entry *entry = &parts->entries[parts->entry++];

        weight += weight_of(parts, entry);
        if (entry->last_ns > parts->last_ns)
            parts->last_ns = entry->last_ns;
        if (weight >= PART_EVENTS && parts->later_ns[parts->entry] > parts->from_ns)
            break;
    }
    return weight;
}

static uint64_t latest_of_all(const struct trace_file_parts *parts)
{
    uint64_t latest_ns = 0;

    for (uint64_t n = 0; n < parts->count; n++) {
        if (parts->entries[n].last_ns > latest_ns)
            latest_ns = parts->entries[n].last_ns;
    }
    return latest_ns;
}

/* The end of a part before the blocks that follow: the middle of the time between, if there is any,
 * since their times need not be exact, and a block that may be in two parts is read for both. */
static uint64_t end_of_blocks(const struct trace_file_parts *parts)
{
    uint64_t later_ns;

    if (parts->entry == parts->count)
        return latest_of_all(parts);
    later_ns = parts->later_ns[parts->entry];
    return parts->last_ns < later_ns ? parts->last_ns + (later_ns - parts->last_ns) / 2
                                     : later_ns - 1;
}

/* Divides the time of the next blocks by the weight of their events. */
static void set_steps(struct trace_file_parts *parts)
{
    uint64_t first_ns = parts->later_ns[parts->entry];
    uint64_t begin_ns = parts->from_ns > first_ns ? parts->from_ns : first_ns;
    uint64_t steps = add_blocks(parts) / PART_EVENTS;

    parts->end_ns = end_of_blocks(parts);
    if (steps > 1 && parts->end_ns > begin_ns) {
        parts->step_ns = (parts->end_ns - begin_ns) / steps + 1;
        parts->step_end_ns = begin_ns;
    }
}

/* Returns the last time of the next part. */
static uint64_t next_end(struct trace_file_parts *parts)
{
    if (parts->is_rest)
        return parts->until_ns;
    if (!parts->step_ns)
        set_steps(parts);
    if (parts->step_ns) {
        parts->step_end_ns = trace_file_time_after(parts->step_end_ns, parts->step_ns);
        if (parts->step_end_ns < parts->end_ns)
            return parts->step_end_ns;
        parts->step_ns = 0;
    }
    return parts->entry < parts->count ? parts->end_ns : parts->until_ns;
}

/* As many blocks as make a part. */
static bool next_blocks(struct trace_file_parts *parts, struct trace_file_range *ret_range)
{
    uint64_t first = parts->entry;
    uint64_t weight = 0;

    while (parts->entry < parts->count && weight < PART_EVENTS)
        weight += weight_of(parts, &parts->entries[parts->entry++]);
    *ret_range = (struct trace_file_range){parts->from_ns, parts->until_ns, first, parts->entry};
    return parts->entry > first;
}

bool trace_file_parts_next(struct trace_file_parts *parts, struct trace_file_range *ret_range)
{
    uint64_t end_ns;

    if (parts->by_blocks)
        return next_blocks(parts, ret_range);
    if (parts->is_end)
        return false;
    end_ns = next_end(parts);
    parts->is_end = end_ns >= parts->until_ns;
    *ret_range =
        (struct trace_file_range){parts->from_ns, parts->is_end ? parts->until_ns : end_ns, 0, 0};
    parts->from_ns = end_ns + 1;
    return true;
}
