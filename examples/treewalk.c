/* SPDX-License-Identifier: MIT */
/*
 * Walks a directory tree and writes events: an activity for each directory, an event for each file,
 * a warning for each item that cannot be read.
 *
 *   cairn record -e 'Cairn_Treewalk_*' -- treewalk /usr/share
 *   cairn decode -f text
 */
#include <cairn/eventheader.h>

#include "tree.h"

#include <stdbool.h>

CAIRN_PROVIDER(provider, "Cairn_Treewalk");

enum { KEYWORD_DIRECTORY = 0x1, KEYWORD_FILE = 0x2, KEYWORD_PROBLEM = 0x4 };

/* Each open directory needs a file descriptor: deeper ones are reported and left out. */
#define DEPTH_MAX 256

struct totals {
    unsigned long directories;
    unsigned long files;
    unsigned long problems;
};

/* A directory that is being walked, and its parent. */
struct directory {
    const struct directory *parent;
    const char *name;
    struct cairn_guid activity;
    int depth;
};

static void report_problem(const struct directory *in, const char *name, int error,
                           struct totals *totals)
{
    totals->problems++;
    CAIRN_WRITE_EVENT(provider, "Unreadable", level(WARNING), keyword(KEYWORD_PROBLEM),
                      activity_id(&in->activity), str8("Directory", in->name), str8("Name", name),
                      errno("Error", error));
}

static void report_file(const struct directory *in, const char *name, const struct stat *st,
                        struct totals *totals)
{
    totals->files++;
    CAIRN_WRITE_EVENT(
        provider, "File", level(INFORMATION), keyword(KEYWORD_FILE), activity_id(&in->activity),
        str8("Name", name), u64("Size", (uint64_t)st->st_size), u32_hex("Mode", st->st_mode),
        time64("ModifyTime", st->st_mtime),
        struct("Owner", u32("User", (uint32_t)st->st_uid), u32("Group", (uint32_t)st->st_gid)));
}

static void walk(struct tree *tree, const struct directory *parent, const char *name,
                 struct totals *totals);

/* Visits one name of a directory. */
static void visit(const struct tree *tree, const struct directory *in, const char *name,
                  struct totals *totals)
{
    struct stat st;
    struct tree below;
    int error = tree_stat(tree, name, &st);

    if (error) {
        report_problem(in, name, error, totals);
        return;
    }
    if (!S_ISDIR(st.st_mode)) {
        report_file(in, name, &st, totals);
        return;
    }
    error = in->depth < DEPTH_MAX ? tree_open(tree, name, &below) : ELOOP;
    if (error)
        report_problem(in, name, error, totals);
    else
        walk(&below, in, name, totals);
}

/* Visits all names of a directory; returns their number. */
static unsigned int visit_all(const struct tree *tree, const struct directory *d,
                              struct totals *totals)
{
    unsigned int count = 0;

    for (;;) {
        struct dirent *item;

        errno = 0;
        item = readdir(tree->stream);
        if (!item)
            break;
        if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, ".."))
            continue;
        visit(tree, d, item->d_name, totals);
        count++;
    }
    if (errno)
        report_problem(d, ".", errno, totals);
    return count;
}

static void begin_directory(struct directory *d)
{
    cairn_activity_id_generate(&d->activity);
    CAIRN_WRITE_EVENT(provider, "Directory", level(INFORMATION), keyword(KEYWORD_DIRECTORY),
                      opcode(ACTIVITY_START), activity_id(&d->activity),
                      related_id(d->parent ? &d->parent->activity : NULL), str8("Name", d->name),
                      u32("Depth", (uint32_t)d->depth));
}

/* Walks an open directory, and closes it. */
static void walk(struct tree *tree, const struct directory *parent, const char *name,
                 struct totals *totals)
{
    struct directory d = {.parent = parent, .name = name, .depth = parent ? parent->depth + 1 : 0};
    unsigned int entries;

    totals->directories++;
    begin_directory(&d);
    entries = visit_all(tree, &d, totals);
    tree_close(tree);
    CAIRN_WRITE_EVENT(provider, "Directory", level(INFORMATION), keyword(KEYWORD_DIRECTORY),
                      opcode(ACTIVITY_STOP), activity_id(&d.activity), u32("Entries", entries));
}

int main(int argc, char **argv)
{
    const char *root = argc > 1 ? argv[1] : ".";
    struct totals totals = {0};
    struct tree tree;
    int error;

    if (argc > 2 || root[0] == '-') {
        fprintf(stderr, "usage: treewalk [DIRECTORY]\n");
        return 2;
    }
    error = tree_open(NULL, root, &tree);
    if (error) {
        fprintf(stderr, "treewalk: %s: %s\n", root, strerror(error));
        return 1;
    }
    (void)cairn_provider_register(&provider);
    walk(&tree, NULL, root, &totals);
    cairn_provider_unregister(&provider);
    printf("%lu directories, %lu files, %lu unreadable\n", totals.directories, totals.files,
           totals.problems);
    return 0;
}
