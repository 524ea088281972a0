/* SPDX-License-Identifier: MIT */
/*
 * Levels of detail. A level has a width, four times that of the level before it; level 0 has none.
 * An item, such as a span, is stored once: in the last level whose width is not above its duration.
 * In each level above, shorter items are counted in cells: one for each track and each interval of
 * the level's width in which something ended.
 *
 * So a view in which a pixel has the width of a level shows the level's cells, and the items of
 * this level and of those above: none is narrower than a pixel.
 *
 * Instants are in cells alone: the page has them from the events' rows.
 */
#ifndef REPORT_PYRAMID_H
#define REPORT_PYRAMID_H

#include "report/columns.h"

#define REPORT_LEVELS 17u

/* Contents of one line of the timeline. */
enum report_track_kind {
    REPORT_TRACK_EVENTS,
    REPORT_TRACK_SPANS,
    REPORT_TRACK_STATES,
};

struct report_item {
    uint32_t track;
    uint32_t name;  /* of a span: the kind of its start; of a state: enum timeline_state_kind */
    uint64_t event; /* that began it: its number */
    uint64_t start_ns;
    uint64_t stop_ns;
};

/* The count of one interval. */
struct report_cell {
    uint32_t count;
    uint32_t name;     /* of the item that has most weight */
    uint64_t weight;   /* of it */
    uint64_t total_ns; /* durations */
};

struct report_level {
    struct report_columns item_rows;
    struct report_columns cell_rows;
    struct report_blocks items;
    struct report_blocks cells;
    uint64_t interval; /* that is being counted: its number */
    uint32_t *open;    /* tracks with a cell */
    uint32_t open_count;
    uint32_t open_capacity;
    uint64_t counted;    /* items and cells that were counted in cells */
    uint64_t cell_count; /* of them */
    bool is_left_out;    /* its cells are hardly fewer than what they count */
};

struct report_track {
    uint32_t thread;
    uint16_t kind; /* enum report_track_kind */
    uint16_t depth;
    uint64_t items;
    struct report_cell cells[REPORT_LEVELS - 1]; /* of level 1 on */
};

struct report_pyramid {
    struct report_output *output;
    struct report_track **tracks;
    uint32_t track_count;
    uint32_t track_capacity;
    struct report_level levels[REPORT_LEVELS];
};

/* In ns; 0 of level 0. */
static inline uint64_t report_level_width(uint32_t level)
{
    return level ? UINT64_C(1024) << 2 * (level - 1) : 0;
}

/* Returns 0, ENOMEM. */
int report_pyramid_track(struct report_pyramid *pyramid, uint32_t thread,
                         enum report_track_kind kind, uint32_t depth, uint32_t *ret_track);

/* Adds an item that ended; in the order of these ends, and of instants. */
void report_pyramid_item(struct report_pyramid *pyramid, const struct report_item *item);

void report_pyramid_instant(struct report_pyramid *pyramid, uint32_t track, uint32_t name,
                            uint64_t time_ns);

/* Writes what is still open. */
void report_pyramid_flush(struct report_pyramid *pyramid);

void report_pyramid_free(struct report_pyramid *pyramid);

#endif
