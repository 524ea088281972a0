/* SPDX-License-Identifier: MIT */
/* cairn list: the events that programs have registered with the local engine. */
#include "cli/cli.h"
#include "core/glob.h"
#include "local/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {"fields", no_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Lists the events that running programs have registered, by name; those that\n"
    "match one of the PATTERNs (globs), or all.\n"
    "\n"
    "  -f, --fields   print each event's fields too\n"
    "  -h, --help     print this\n"
    "\n"
    "A mark tells who is collecting: R a recorder, T a text reader.\n"
    "Exit status: 0; 1 when the tracing directory cannot be used, or nothing matches.\n"
    "\n"
    "  cairn list 'MyCompany_*'\n";

/* An event as it is shown. */
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
    return strcmp(((const struct item *)a)->name, ((const struct item *)b)->name);
}

/* Shared memory: copied before it is looked at. */
static void read_item(const struct cairn_local *local, uint32_t index, struct item *item)
{
    uint32_t length;

    memcpy(item->name, local->entries[index].command, sizeof(item->name));
    item->name[sizeof(item->name) - 1] = 0;
    length = cairn_command_name_length(item->name);
    memcpy(item->fields, item->name + length, sizeof(item->fields) - length);
    item->name[length] = 0;
    item->status = local->status[index];
}

/* Under the lock. */
static size_t gather(const struct cairn_local *local, char **patterns, struct item *items)
{
    size_t count = 0;

    for (uint32_t i = 1; i < cairn_registry_end(local); i++) {
        if (!local->entries[i].generation)
            continue;
        read_item(local, i, &items[count]);
        count += is_wanted(items[count].name, patterns);
    }
    return count;
}

static void print_item(const struct item *item, bool with_fields)
{
    printf("%c%c %s%s\n", item->status & CAIRN_STATUS_RECORDER ? 'R' : ' ',
           item->status & CAIRN_STATUS_TEXT ? 'T' : ' ', item->name,
           with_fields ? item->fields : "");
}

static int list(const struct cli_verb *verb, char **patterns, bool with_fields)
{
    struct cairn_local local = {.lock_fd = -1};
    struct item *items = calloc(CAIRN_EVENT_MAX, sizeof(*items));
    size_t count = 0;
    int error = items ? cairn_local_open(&local) : ENOMEM;

    if (!error)
        error = cairn_local_lock(&local);
    if (!error) {
        cairn_registry_sweep(&local);
        count = gather(&local, patterns, items);
        cairn_local_unlock(&local);
        qsort(items, count, sizeof(*items), by_name);
        for (size_t i = 0; i < count; i++)
            print_item(&items[i], with_fields);
    }
    cairn_local_close(&local);
    free(items);
    if (error) {
        cli_directory_error(verb, error, "cannot read the tracing directory");
        return CLI_FAILED;
    }
    if (!count)
        cli_error(verb, *patterns ? "no event matches" : "no program has registered an event");
    return count ? CLI_OK : CLI_FAILED;
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
