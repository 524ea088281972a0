/* SPDX-License-Identifier: MIT */
/* Reads the recordings that a command line names, in order of time: the events that the options
 * select.
 */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include "cli/choice.h"

#include <sys/stat.h>

#define CLI_TITLE_BYTES 4200u

struct cli_inputs {
    const struct cli_verb *verb;
    char **paths;
    int count;
    bool by_file; /* read one after the other, not merged */
    struct cli_choice choice;
    struct cairn_reader_options options;

    /* Callbacks for the events. */
    void *context;
    void (*begin)(void *context, int index); /* before an input; 0 if all are merged; may be NULL */
    /* Returns 0; ECANCELED to end; or an error. Adds to *damaged if an event is. */
    int (*event)(void *context, struct cairn_reader *reader, const struct cairn_event *event,
                 uint64_t *damaged);
    void (*pause)(void *context); /* a stream has no event for now; may be NULL */
    /* After the last event, of each recording; may be NULL. */
    void (*source)(void *context, size_t source, const char *path,
                   const struct cairn_reader_counts *counts);
    /* After the last event of a reader, while it is open; may be NULL. Returns as `event`. */
    int (*end)(void *context, struct cairn_reader *reader, uint64_t *damaged_by_source);
    /* After all events, unless a callback ended reading before; may be NULL. Returns an exit
     * status. */
    int (*report)(void *context);

    /* For several threads, instead of `event` and `pause`; as in struct cairn_reader_threads. */
    uint32_t threads; /* 0, 1: the callbacks above */
    int (*thread_begin)(void *context, void **ret_state);
    int (*thread_event)(void *state, const struct cairn_event *event, uint64_t *damaged,
                        size_t *ret_kept_bytes);
    int (*thread_pass)(void *state, bool pauses);
    void (*thread_end)(void *context, void *state);
};

/* Sets the inputs: the arguments from `first` on; without any, standard input if it is a pipe or a
 * file, otherwise perf.data.
 */
void cli_inputs_take(struct cli_inputs *inputs, int argc, char **argv, int first);

/* inputs_threads.c: reads the selected events of a reader by several threads. Adds to
 * damaged_by_source. Returns 0 at the end; or an error of a callback, of memory, or of the reader.
 */
int cli_inputs_read_by_threads(struct cli_inputs *inputs, struct cairn_reader *reader,
                               uint64_t *damaged_by_source, size_t source_count);

/* Writes what the inputs are called together: the first one's name, and how many more there are.
 * Returns `text`. */
const char *cli_inputs_title(const struct cli_inputs *inputs, char *text, size_t size);

/* True if one of the paths is that of the file; "-" is standard input. */
bool cli_paths_have(const char *const *paths, size_t count, const struct stat *file);

/* Empties an output, if it is a regular file. Returns 0; EEXIST it is one of the paths, which are
 * inputs; or an errno code of the system. */
int cli_paths_empty(const char *const *paths, size_t count, int fd);

/* The text of a code of cli_paths_empty. */
const char *cli_paths_error(int err);

/* Reads all, and reports what is missing or wrong. Returns an exit status. */
int cli_inputs_read(struct cli_inputs *inputs);

#endif
