/* SPDX-License-Identifier: MIT */
/* Sorts items into levels, and counts shorter ones in cells. */
#include "report/pyramid.h"

#include <errno.h>
#include <stdlib.h>

/* After this number of cells it is decided whether a level's cells are worth their bytes. */
#define CELLS_BEFORE_DECISION 65536u
#define CELLS_MAX_PART        3u /* at most a third of what they count */

/* ---- writing ---- */

static void write_item(struct report_level *level, struct report_output *output,
                       const struct report_item *item)
{
    struct report_columns *rows = &level->item_rows;

    report_columns_row(rows, item->start_ns, item->stop_ns);
    report_bytes_difference(&rows->columns[0], item->stop_ns, rows->last_time);
    report_bytes_varint(&rows->columns[1], item->stop_ns - item->start_ns);
    report_bytes_varint(&rows->columns[2], item->track);
    report_bytes_varint(&rows->columns[3], item->name);
    report_bytes_difference(&rows->columns[4], item->event, rows->last_event);
    rows->last_time = item->stop_ns;
    rows->last_event = item->event;
    if (rows->count == REPORT_BLOCK_ROWS_MAX)
        report_columns_write(rows, &level->items, output);
}

static void write_cell(struct report_level *level, struct report_output *output, uint64_t width,
                       uint32_t track, const struct report_cell *cell)
{
    struct report_columns *rows = &level->cell_rows;
    uint64_t begin_ns = level->interval * width;

    report_columns_row(rows, begin_ns, begin_ns + width);
    report_bytes_difference(&rows->columns[0], level->interval, rows->last_time);
    report_bytes_varint(&rows->columns[1], track);
    report_bytes_varint(&rows->columns[2], cell->name);
    report_bytes_varint(&rows->columns[3], cell->count);
    report_bytes_varint(&rows->columns[4], cell->total_ns);
    rows->last_time = level->interval;
    if (rows->count == REPORT_BLOCK_ROWS_MAX)
        report_columns_write(rows, &level->cells, output);
}

/* ---- counting ---- */

static int open_cell(struct report_level *level, uint32_t track)
{
    if (level->open_count == level->open_capacity) {
        uint32_t capacity = level->open_capacity ? 2 * level->open_capacity : 64;
        uint32_t *open = (uint32_t *)realloc(level->open, capacity * sizeof(*open));

        if (!open)
            return ENOMEM;
        level->open = open;
        level->open_capacity = capacity;
    }
    level->open[level->open_count++] = track;
    return 0;
}

static void decide(struct report_level *level)
{
    if (level->cell_count == CELLS_BEFORE_DECISION &&
        level->cell_count > level->counted / CELLS_MAX_PART) {
        level->is_left_out = true;
        level->cells.count = 0;
        level->cell_rows.count = 0;
        for (uint32_t n = 0; n < REPORT_COLUMNS_MAX; n++)
            level->cell_rows.columns[n].size = 0;
    }
}

static void count(struct report_pyramid *pyramid, uint32_t number, uint32_t track,
                  const struct report_cell *more)
{
    struct report_level *level = &pyramid->levels[number];
    struct report_cell *cell = &pyramid->tracks[track]->cells[number - 1];

    if (!cell->count && open_cell(level, track)) {
        report_output_fail(pyramid->output, ENOMEM);
        return;
    }
    level->counted++;
    cell->count += more->count;
    cell->total_ns += more->total_ns;
    if (more->weight > cell->weight) {
        cell->weight = more->weight;
        cell->name = more->name;
    }
}

/* Ends a level's interval. What it counted is counted in the level above, in the interval that
 * contains this one. */
static void end_interval(struct report_pyramid *pyramid, uint32_t number)
{
    struct report_level *level = &pyramid->levels[number];
    uint64_t width = report_level_width(number);

    for (uint32_t n = 0; n < level->open_count; n++) {
        uint32_t track = level->open[n];
        struct report_cell *cell = &pyramid->tracks[track]->cells[number - 1];

        level->cell_count++;
        decide(level);
        if (!level->is_left_out)
            write_cell(level, pyramid->output, width, track, cell);
        if (number + 1 < REPORT_LEVELS)
            count(pyramid, number + 1, track, cell);
        *cell = (struct report_cell){0};
    }
    level->open_count = 0;
}

/* From level 1 on: a level's interval ends before the one above that contains it. */
static void advance(struct report_pyramid *pyramid, uint64_t time_ns)
{
    for (uint32_t number = 1; number < REPORT_LEVELS; number++) {
        uint64_t interval = time_ns / report_level_width(number);

        if (interval == pyramid->levels[number].interval)
            return;
        end_interval(pyramid, number);
        pyramid->levels[number].interval = interval;
    }
}

/* ---- interface ---- */

int report_pyramid_track(struct report_pyramid *pyramid, uint32_t thread,
                         enum report_track_kind kind, uint32_t depth, uint32_t *ret_track)
{
    struct report_track *track;

    if (pyramid->track_count == pyramid->track_capacity) {
        uint32_t capacity = pyramid->track_capacity ? 2 * pyramid->track_capacity : 64;
        struct report_track **tracks =
            (struct report_track **)realloc((void *)pyramid->tracks, capacity * sizeof(*tracks));

        if (!tracks)
            return ENOMEM;
        pyramid->tracks = tracks;
        pyramid->track_capacity = capacity;
    }
    track = (struct report_track *)calloc(1, sizeof(*track));
    if (!track)
        return ENOMEM;
    track->thread = thread;
    track->kind = (uint16_t)kind;
    track->depth = (uint16_t)depth;
    pyramid->tracks[pyramid->track_count] = track;
    *ret_track = pyramid->track_count++;
    return 0;
}

static uint32_t level_of(uint64_t duration_ns)
{
    uint32_t level = 0;

    while (level + 1 < REPORT_LEVELS && report_level_width(level + 1) <= duration_ns)
        level++;
    return level;
}

void report_pyramid_item(struct report_pyramid *pyramid, const struct report_item *item)
{
    uint64_t duration_ns = item->stop_ns - item->start_ns;
    uint32_t number = level_of(duration_ns);
    struct report_cell cell = {1, item->name, duration_ns + 1, duration_ns};

    pyramid->tracks[item->track]->items++;
    write_item(&pyramid->levels[number], pyramid->output, item);
    advance(pyramid, item->stop_ns);
    if (number + 1 < REPORT_LEVELS)
        count(pyramid, number + 1, item->track, &cell);
}

void report_pyramid_instant(struct report_pyramid *pyramid, uint32_t track, uint32_t name,
                            uint64_t time_ns)
{
    struct report_cell cell = {1, name, 1, 0};

    pyramid->tracks[track]->items++;
    advance(pyramid, time_ns);
    count(pyramid, 1, track, &cell);
}

void report_pyramid_flush(struct report_pyramid *pyramid)
{
    for (uint32_t number = 0; number < REPORT_LEVELS; number++) {
        struct report_level *level = &pyramid->levels[number];

        if (number)
            end_interval(pyramid, number);
        report_columns_write(&level->item_rows, &level->items, pyramid->output);
        report_columns_write(&level->cell_rows, &level->cells, pyramid->output);
    }
}

void report_pyramid_free(struct report_pyramid *pyramid)
{
    for (uint32_t n = 0; n < pyramid->track_count; n++)
        free(pyramid->tracks[n]);
    free((void *)pyramid->tracks);
    for (uint32_t n = 0; n < REPORT_LEVELS; n++) {
        report_columns_free(&pyramid->levels[n].item_rows);
        report_columns_free(&pyramid->levels[n].cell_rows);
        report_blocks_free(&pyramid->levels[n].items);
        report_blocks_free(&pyramid->levels[n].cells);
        free(pyramid->levels[n].open);
    }
    *pyramid = (struct report_pyramid){0};
}
