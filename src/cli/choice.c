/* SPDX-License-Identifier: MIT */
/* The options that select events of recordings. */
#include "cli/choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RANGE_MAX 65536u /* numbers in a list */

/* ---- options ---- */

static int out_of_memory(const struct cli_choice *choice)
{
    cli_error(choice->verb, "%s", strerror(ENOMEM));
    return CLI_FAILED;
}

static int add_word(struct cli_choice *choice, struct cli_words *words, const char *word)
{
    void *bigger = realloc((void *)words->words, (words->count + 1) * sizeof(*words->words));

    if (!bigger)
        return out_of_memory(choice);
    words->words = (const char **)bigger;
    words->words[words->count++] = word;
    return CLI_OK;
}

/* Returns 0; E2BIG the list has too many numbers; ENOMEM. */
static int add_numbers(struct cli_numbers *numbers, unsigned long first, unsigned long last)
{
    size_t count = numbers->count + (last - first) + 1;
    void *bigger;

    if (last - first >= RANGE_MAX || count > RANGE_MAX)
        return E2BIG;
    bigger = realloc(numbers->numbers, count * sizeof(*numbers->numbers));
    if (!bigger)
        return ENOMEM;
    numbers->numbers = (uint32_t *)bigger;
    for (unsigned long n = first; n <= last; n++)
        numbers->numbers[numbers->count++] = (uint32_t)n;
    return 0;
}

static bool take_number(const char **at, unsigned long *ret_number)
{
    char *end;

    if (**at < '0' || **at > '9')
        return false;
    *ret_number = strtoul(*at, &end, 10);
    *at = end;
    return *ret_number <= UINT32_MAX;
}

/* "1,4-7". Returns 0; EINVAL it is no list; E2BIG, ENOMEM. */
static int parse_numbers(struct cli_numbers *numbers, const char *list)
{
    unsigned long first;
    unsigned long last;
    int err;

    do {
        if (!take_number(&list, &first))
            return EINVAL;
        last = first;
        if (*list == '-') {
            list++;
            if (!take_number(&list, &last) || last < first)
                return EINVAL;
        }
        err = add_numbers(numbers, first, last);
        if (err)
            return err;
    } while (*list++ == ',');
    return list[-1] ? EINVAL : 0;
}

static int take_numbers(struct cli_choice *choice, struct cli_numbers *numbers, const char *name,
                        const char *value)
{
    int err = parse_numbers(numbers, value);

    if (err == ENOMEM)
        return out_of_memory(choice);
    if (err == E2BIG)
        cli_error(choice->verb, "%s takes at most %u numbers: %s", name, RANGE_MAX, value);
    else if (err)
        cli_error(choice->verb, "%s takes numbers, as in 1,4-7: %s", name, value);
    return err ? CLI_USAGE : CLI_OK;
}

static int take_time(struct cli_choice *choice, struct cli_time *time, const char *name,
                     const char *value)
{
    if (cli_time_parse(value, time))
        return CLI_OK;
    cli_error(choice->verb,
              "%s: no such time: %s (8233.96, +2s, -500ms, 25%%, 2026-11-23T20:14:17)", name,
              value);
    return CLI_USAGE;
}

int cli_choice_take(struct cli_choice *choice, int option, const char *value)
{
    switch (option) {
    case 'e':
        return add_word(choice, &choice->patterns, value);
    case CLI_CHOICE_COMM:
        return add_word(choice, &choice->comms, value);
    case CLI_CHOICE_PID:
        return take_numbers(choice, &choice->pids, "--pid", value);
    case CLI_CHOICE_TID:
        return take_numbers(choice, &choice->tids, "--tid", value);
    case CLI_CHOICE_CPU:
        return take_numbers(choice, &choice->cpus, "--cpu", value);
    case CLI_CHOICE_SINCE:
        return take_time(choice, &choice->since, "--since", value);
    case CLI_CHOICE_UNTIL:
        return take_time(choice, &choice->until, "--until", value);
    case CLI_CHOICE_FILTER:
        if (choice->filter) {
            cli_error(choice->verb, "one --filter is enough; combine two with && or ||");
            return CLI_USAGE;
        }
        choice->filter = value;
        return CLI_OK;
    default:
        return -1;
    }
}

/* ---- the selection ---- */

static bool is_empty(const struct cli_choice *choice)
{
    return !choice->filter && !choice->patterns.count && !choice->comms.count &&
           !choice->pids.count && !choice->tids.count && !choice->cpus.count;
}

static int make_selection(const struct cli_choice *choice, struct cairn_filter_error *ret_problem,
                          struct cairn_selection **ret_selection)
{
    struct cairn_selection_options options = CAIRN_SELECTION_OPTIONS_INIT;

    options.patterns = choice->patterns.words;
    options.pattern_count = choice->patterns.count;
    options.comms = choice->comms.words;
    options.comm_count = choice->comms.count;
    options.pids = choice->pids.numbers;
    options.pid_count = choice->pids.count;
    options.tids = choice->tids.numbers;
    options.tid_count = choice->tids.count;
    options.cpus = choice->cpus.numbers;
    options.cpu_count = choice->cpus.count;
    options.filter = choice->filter;
    return cairn_selection_create(&options, ret_problem, ret_selection);
}

int cli_choice_begin(struct cli_choice *choice)
{
    struct cairn_filter_error problem;
    int err;

    if (is_empty(choice))
        return CLI_OK;
    err = make_selection(choice, &problem, &choice->selection);
    if (err == EINVAL) {
        cli_error(choice->verb, "--filter '%s' is invalid at %" PRIu32 ": %s", choice->filter,
                  problem.position, problem.reason);
        return CLI_USAGE;
    }
    if (err == E2BIG) {
        cli_error(choice->verb, "--filter is too long");
        return CLI_USAGE;
    }
    return err ? out_of_memory(choice) : CLI_OK;
}

int cli_choice_copy(const struct cli_choice *choice, struct cairn_selection **ret_selection)
{
    *ret_selection = NULL;
    return choice->selection ? make_selection(choice, NULL, ret_selection) : 0;
}

int cli_choice_report(const struct cli_choice *choice)
{
    const char *problem;
    int status = CLI_OK;

    if (!choice->selection)
        return CLI_OK;
    for (size_t n = 0; n < choice->patterns.count; n++) {
        if (cairn_selection_has_matched(choice->selection, n))
            continue;
        cli_error(choice->verb, "no event matches %s", choice->patterns.words[n]);
        status = CLI_NOTHING;
    }
    problem = cairn_selection_problem(choice->selection);
    if (problem) {
        cli_error(choice->verb, "the filter could be applied to no event: %s", problem);
        status = CLI_NOTHING;
    }
    return status;
}

void cli_choice_end(struct cli_choice *choice)
{
    cairn_selection_destroy(choice->selection);
    free((void *)choice->patterns.words);
    free((void *)choice->comms.words);
    free(choice->pids.numbers);
    free(choice->tids.numbers);
    free(choice->cpus.numbers);
}

/* ---- the range of time ---- */

/* The times of all inputs, on one clock. */
struct choice_extent {
    uint64_t first_ns;
    uint64_t last_ns;
    bool is_wall;
};

static bool is_relative(const struct cli_time *time)
{
    return time->kind >= CLI_TIME_FIRST;
}

static void add_times(struct cairn_reader_times *all, const struct cairn_reader_times *one)
{
    if (!all->events || one->first_ns < all->first_ns)
        all->first_ns = one->first_ns;
    if (one->last_ns > all->last_ns)
        all->last_ns = one->last_ns;
    if (!all->walls || one->first_wall_ns < all->first_wall_ns)
        all->first_wall_ns = one->first_wall_ns;
    if (one->last_wall_ns > all->last_wall_ns)
        all->last_wall_ns = one->last_wall_ns;
    all->events += one->events;
    all->walls += one->walls;
}

/* Errors of opening an input are reported when it is read. */
static int find_extent(const struct cli_choice *choice, char *const *inputs, int input_count,
                       struct choice_extent *ret_extent)
{
    struct cairn_reader_times all = {0};

    for (int n = 0; n < input_count; n++) {
        struct cairn_reader_times one;
        int err = cairn_reader_find_times(inputs[n], &one);

        if (err == ESPIPE) {
            cli_error(choice->verb, "%s: a relative time needs a file, which can be read twice",
                      inputs[n]);
            return CLI_USAGE;
        }
        if (!err)
            add_times(&all, &one);
    }
    ret_extent->is_wall = all.events && all.walls == all.events;
    ret_extent->first_ns = ret_extent->is_wall ? all.first_wall_ns : all.first_ns;
    ret_extent->last_ns = ret_extent->is_wall ? all.last_wall_ns : all.last_ns;
    return CLI_OK;
}

static uint64_t resolve(const struct cli_time *time, const struct choice_extent *extent)
{
    uint64_t duration_ns = extent->last_ns - extent->first_ns;

    if (time->kind == CLI_TIME_FIRST)
        return extent->first_ns + time->ns;
    if (time->kind == CLI_TIME_LAST)
        return time->ns < extent->last_ns ? extent->last_ns - time->ns : 0;
    return extent->first_ns + (uint64_t)((unsigned __int128)duration_ns * time->ns / 1000000);
}

/* Sets one of the two limits. A limit of 0 would mean that there is none. */
static void set_limit(const struct cli_time *time, const struct choice_extent *extent,
                      uint64_t *clock_ns, uint64_t *wall_ns, bool is_end)
{
    bool is_wall = is_relative(time) ? extent->is_wall : time->kind == CLI_TIME_WALL;
    uint64_t ns = is_relative(time) ? resolve(time, extent) : time->ns;

    if (time->kind == CLI_TIME_NONE)
        return;
    if (is_end)
        ns += time->tolerance_ns ? time->tolerance_ns - 1 : 0;
    else
        ns -= time->tolerance_ns < ns ? time->tolerance_ns : ns;
    *(is_wall ? wall_ns : clock_ns) = ns || !is_end ? ns : 1;
}

int cli_choice_set_range(const struct cli_choice *choice, char *const *inputs, int input_count,
                         struct cairn_reader_options *options)
{
    struct choice_extent extent = {0};
    int status = CLI_OK;

    if (is_relative(&choice->since) || is_relative(&choice->until))
        status = find_extent(choice, inputs, input_count, &extent);
    set_limit(&choice->since, &extent, &options->since_ns, &options->since_wall_ns, false);
    set_limit(&choice->until, &extent, &options->until_ns, &options->until_wall_ns, true);
    return status;
}
