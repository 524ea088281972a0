/* SPDX-License-Identifier: MIT */
/* Tables of mounts that list the tracing directory as a tracefs. */
#include "preload/mounts.h"
#include "preload/next.h"
#include "preload/place_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES  4608
#define FIELD_MAX_BYTES 256

static const char *const tables[] = {"/proc/self/mounts", "/proc/self/mountinfo"};

static const struct {
    const char *path;
    uint32_t form;
} paths[] = {
    {"/proc/mounts", PRELOAD_MOUNTS_TABLE},
    {"/proc/self/mounts", PRELOAD_MOUNTS_TABLE},
    {"/proc/thread-self/mounts", PRELOAD_MOUNTS_TABLE},
    {"/etc/mtab", PRELOAD_MOUNTS_TABLE},
    {"/proc/self/mountinfo", PRELOAD_MOUNTS_INFO},
    {"/proc/thread-self/mountinfo", PRELOAD_MOUNTS_INFO},
};

bool preload_mounts_find(const char *path, uint32_t *ret_form)
{
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        if (strcmp(path, paths[i].path) != 0)
            continue;
        *ret_form = paths[i].form;
        return true;
    }
    return false;
}

/* ---- line by line ---- */

struct line {
    unsigned int number; /* of the mount, in mountinfo */
    bool is_tracefs;
    bool is_ours;              /* at the place of our directory */
    bool is_above;             /* at a directory that ours would be in */
    size_t size_bytes;         /* with the newline */
    char text[LINE_MAX_BYTES]; /* NUL-terminated; what is longer comes in parts */
};

struct table {
    int fd;
    size_t begin;
    size_t end;
    char block[4096];
};

static bool read_char(struct table *table, char *c)
{
    if (table->begin == table->end) {
        ssize_t size = PRELOAD_NEXT(read)(table->fd, table->block, sizeof(table->block));

        if (size <= 0)
            return false;
        table->begin = 0;
        table->end = (size_t)size;
    }
    *c = table->block[table->begin++];
    return true;
}

static bool read_line(struct table *table, struct line *line)
{
    char c = 0;

    line->size_bytes = 0;
    while (c != '\n' && line->size_bytes + 1 < sizeof(line->text) && read_char(table, &c))
        line->text[line->size_bytes++] = c;
    line->text[line->size_bytes] = 0;
    return line->size_bytes > 0;
}

static void parse(uint32_t form, struct line *line)
{
    const char *type = form == PRELOAD_MOUNTS_INFO ? strstr(line->text, " - ") : NULL;
    char target[FIELD_MAX_BYTES] = "";
    char system[FIELD_MAX_BYTES] = "";
    tracefs_place_path ours;

    line->number = 0;
    if (form == PRELOAD_MOUNTS_TABLE) {
        (void)sscanf(line->text, "%*s %255s %255s", target, system);
    } else if (type) {
        line->number = (unsigned int)strtoul(line->text, NULL, 10);
        (void)sscanf(line->text, "%*s %*s %*s %*s %255s", target);
        (void)sscanf(type, " - %255s", system);
    }
    line->is_tracefs = !strcmp(system, "tracefs");
    line->is_ours = line->is_tracefs && *target == '/' &&
                    preload_place_resolve(AT_FDCWD, target, ours) == PRELOAD_PLACE_OURS && !*ours;
    line->is_above = !strcmp(target, "/") || preload_place_is_on_the_way(target);
}

static bool next_line(uint32_t form, struct table *table, struct line *line)
{
    bool is_there = table->fd >= 0 && read_line(table, line);

    if (is_there)
        parse(form, line);
    return is_there;
}

static void open_table(uint32_t form, struct table *table)
{
    table->fd = PRELOAD_NEXT(openat)(AT_FDCWD, tables[form], O_RDONLY | O_CLOEXEC);
    table->begin = table->end = 0;
}

static void close_table(struct table *table)
{
    if (table->fd >= 0)
        (void)PRELOAD_NEXT(close)(table->fd);
}

bool preload_mounts_have_ours(uint32_t form)
{
    int error = errno;
    bool found = false;
    struct table table;
    struct line line;

    open_table(form, &table);
    while (!found && next_line(form, &table, &line))
        found = line.is_ours;
    close_table(&table);
    errno = error;
    return found;
}

/* ---- */

static void print_ours(uint32_t form, unsigned int above, unsigned int highest,
                       struct tracefs_output *output)
{
    static const char options[] = "rw,nosuid,nodev,noexec,relatime";

    if (form == PRELOAD_MOUNTS_TABLE)
        tracefs_output_print(output, "tracefs /sys/kernel/tracing tracefs %s 0 0\n", options);
    else
        tracefs_output_print(output, "%u %u 0:0 / /sys/kernel/tracing %s - tracefs tracefs rw\n",
                             highest + 1, above, options);
}

void preload_mounts_print(uint32_t form, struct tracefs_output *output)
{
    unsigned int above = 0;
    unsigned int highest = 0;
    bool have_ours = false;
    struct table table;
    struct line line;

    open_table(form, &table);
    while (next_line(form, &table, &line)) {
        if (line.is_tracefs && !line.is_ours)
            continue;
        have_ours |= line.is_ours;
        if (line.is_above)
            above = line.number; /* the last one lies on top */
        if (line.number > highest)
            highest = line.number;
        tracefs_output_write(output, line.text, line.size_bytes);
    }
    close_table(&table);
    if (!have_ours)
        print_ours(form, above, highest, output);
}
