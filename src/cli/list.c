/* SPDX-License-Identifier: MIT */
/* cairn list: the events that programs have registered with the local engine. */
#include "cli/cli.h"
#include "core/glob.h"
#include "engine/pending.h"
#include "engine/sweep.h"
#include "engine/users.h"
#include "os/guard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {"fields", no_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Lists the events that running programs have registered, sorted by name: all, or those\n"
    "that match one of the PATTERNs (globs). In a shared directory root sees the events of\n"
    "all users, other users see their own.\n"
    "\n"
    "  -f, --fields   print each event's fields too\n"
    "  -h, --help     print this\n"
    "\n"
    "Two columns precede a name: R while a recorder collects the event, T while a text\n"
    "reader does.\n"
    "Exit status: 0; 1 if the tracing directory cannot be used, or nothing matches; 2 if the\n"
    "command line is invalid.\n"
    "\n"
    "  cairn list 'MyCompany_*'\n";

/* An event as it is printed. */
struct item {
    char name[CAIRN_COMMAND_MAX_BYTES];
    char fields[CAIRN_COMMAND_MAX_BYTES];
    uint8_t status;
};

static bool is_wanted(const char *name, char **patterns)
{
    if (!*patterns)
        return true;
    for (; *patterns; patterns++) {
        if (cairn_glob_match(*patterns, name))
            return true;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct item *x = a;
    const struct item *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : strcmp(x->fields, y->fields);
}

/* Copies an entry before it is examined: it is in shared memory. */
static void read_item(const struct cairn_engine_registry *local, uint32_t index, struct item *item)
{
    uint32_t length;

    memcpy(item->name, local->entries[index].command, sizeof(item->name));
    item->name[sizeof(item->name) - 1] = 0;
    length = cairn_command_name_length(item->name);
    memcpy(item->fields, item->name + length, sizeof(item->fields) - length);
    item->name[length] = 0;
    item->status = local->status[index];
}

/* The events of all directories. */
struct listing {
    const struct cairn_directory *own;
    char **patterns;
    struct item *items;
    size_t count;
    int error;
};

/* Allocates memory for the events of one more directory. */
static bool reserve(struct listing *listing)
{
    void *items =
        reallocarray(listing->items, listing->count + CAIRN_EVENT_MAX, sizeof(*listing->items));

    if (items)
        listing->items = items;
    else
        listing->error = ENOMEM;
    return items != NULL;
}

struct gathering {
    struct listing *listing;
    struct cairn_engine_registry *local;
};

/* Appends the events of a directory, whose lock is held. */
static void gather(void *arg)
{
    const struct gathering *g = arg;
    struct listing *listing = g->listing;

    for (uint32_t i = 1; i < cairn_registry_end(g->local); i++) {
        struct item *item = &listing->items[listing->count];

        if (!g->local->entries[i].generation)
            continue;
        read_item(g->local, i, item);
        listing->count += is_wanted(item->name, listing->patterns);
    }
}

static void gather_own(struct listing *listing, struct cairn_engine_registry *local)
{
    struct gathering g = {listing, local};

    listing->error = cairn_engine_registry_lock(local);
    if (listing->error)
        return;
    cairn_registry_sweep(local);
    if (reserve(listing))
        gather(&g);
    cairn_engine_registry_unlock(local);
}

static void lock_and_gather(void *arg)
{
    struct gathering *g = arg;

    cairn_pending_look(g->local);
    if (cairn_engine_registry_try_lock(g->local))
        return;
    gather(g);
    cairn_engine_registry_unlock(g->local);
}

/* Another user may truncate the files during this: what was read until then is listed. */
static void gather_other(void *arg, const char *user)
{
    struct cairn_engine_registry local = {.lock_fd = -1};
    struct gathering g = {arg, &local};
    struct cairn_os_guard guard;

    if (!reserve(g.listing))
        return;
    cairn_os_guard_begin(&guard);
    if (!cairn_engine_registry_open_other(&local, g.listing->own, user))
        (void)cairn_os_guard_run(lock_and_gather, &g);
    cairn_os_guard_end(&guard);
    if (local.lock_fd >= 0)
        close(local.lock_fd);
    cairn_engine_registry_close(&local);
}

/* Lists an event of several users once. */
static void merge(struct listing *listing)
{
    size_t kept = 0;

    if (listing->count)
        qsort(listing->items, listing->count, sizeof(*listing->items), by_name);
    for (size_t i = 0; i < listing->count; i++) {
        struct item *last = kept ? &listing->items[kept - 1] : NULL;

        if (last && !by_name(last, &listing->items[i]))
            last->status |= listing->items[i].status;
        else
            listing->items[kept++] = listing->items[i];
    }
    listing->count = kept;
}

static void print_item(const struct item *item, bool with_fields)
{
    printf("%c%c %s%s\n", item->status & CAIRN_STATUS_RECORDER ? 'R' : ' ',
           item->status & CAIRN_STATUS_TEXT ? 'T' : ' ', item->name,
           with_fields ? item->fields : "");
}

static int list(const struct cli_verb *verb, char **patterns, bool with_fields)
{
    struct cairn_engine_registry local = {.lock_fd = -1};
    struct listing listing = {.own = &local.directory, .patterns = patterns};

    listing.error = cairn_engine_registry_open(&local);
    if (!listing.error)
        gather_own(&listing, &local);
    if (!listing.error)
        cairn_users_each(&local.directory, gather_other, &listing);
    cairn_engine_registry_close(&local);
    merge(&listing);
    for (size_t i = 0; !listing.error && i < listing.count; i++)
        print_item(&listing.items[i], with_fields);
    free(listing.items);
    if (listing.error) {
        cli_directory_error(verb, listing.error, "cannot read the tracing directory");
        return CLI_FAILED;
    }
    if (!listing.count)
        cli_error(verb,
                  *patterns ? "no registered event matches" : "no program has registered an event");
    return listing.count ? CLI_OK : CLI_FAILED;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    bool with_fields = false;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":fh", options, NULL)) != -1) {
        if (option == 'h')
            return cli_print_help(verb);
        if (option != 'f')
            return cli_bad_option(verb, option, argv);
        with_fields = true;
    }
    return list(verb, argv + optind, with_fields);
}

const struct cli_verb cli_list = {
    .name = "list",
    .summary = "list the events that programs have registered",
    .usage = "list [options] [PATTERN...]",
    .help = help,
    .run = run,
};
