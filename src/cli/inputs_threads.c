/* SPDX-License-Identifier: MIT */
/* Reads recordings by several threads, each of which has a selection of its own. */
#include "cli/inputs.h"

#include <errno.h>
#include <stdlib.h>

/* The state that all threads share. */
struct input_reading {
    struct cli_inputs *inputs;
    uint64_t *damaged; /* by source */
    size_t source_count;
    int error;
};

struct input_thread {
    const struct cli_inputs *inputs;
    struct cairn_selection *selection; /* NULL: all events */
    void *state;                       /* of the verb */
    uint64_t damaged[];                /* by source */
};

static int begin(void *context, void **ret_state)
{
    struct input_reading *reading = (struct input_reading *)context;
    struct cli_inputs *inputs = reading->inputs;
    struct input_thread *thread = (struct input_thread *)calloc(
        1, sizeof(*thread) + reading->source_count * sizeof(thread->damaged[0]));
    int err;

    if (!thread)
        return ENOMEM;
    thread->inputs = inputs;
    err = cli_choice_copy(&inputs->choice, &thread->selection);
    if (!err)
        err = inputs->thread_begin(inputs->context, &thread->state);
    if (err) {
        cairn_selection_destroy(thread->selection);
        free(thread);
        return err;
    }
    *ret_state = thread;
    return 0;
}

static int handle(void *state, const struct cairn_event *event, size_t source,
                  size_t *ret_kept_bytes)
{
    struct input_thread *thread = (struct input_thread *)state;

    if (thread->selection) {
        bool is_selected;
        int err = cairn_selection_match(thread->selection, event, &is_selected);

        if (err || !is_selected)
            return err;
    }
    return thread->inputs->thread_event(thread->state, event, &thread->damaged[source],
                                        ret_kept_bytes);
}

static int pass(void *state, bool pauses)
{
    struct input_thread *thread = (struct input_thread *)state;

    return thread->inputs->thread_pass(thread->state, pauses);
}

static void end(void *context, void *state)
{
    struct input_reading *reading = (struct input_reading *)context;
    struct input_thread *thread = (struct input_thread *)state;

    reading->inputs->thread_end(reading->inputs->context, thread->state);
    for (size_t n = 0; n < reading->source_count; n++)
        reading->damaged[n] += thread->damaged[n];
    if (thread->selection && !reading->error)
        reading->error =
            cairn_selection_merge(reading->inputs->choice.selection, thread->selection);
    cairn_selection_destroy(thread->selection);
    free(thread);
}

int cli_inputs_read_by_threads(struct cli_inputs *inputs, struct cairn_reader *reader,
                               uint64_t *damaged_by_source, size_t source_count)
{
    struct input_reading reading = {inputs, damaged_by_source, source_count, 0};
    const struct cairn_reader_threads threads = {
        .size = sizeof(threads),
        .count = inputs->threads,
        .context = &reading,
        .begin = begin,
        .event = handle,
        .pass = pass,
        .end = end,
    };
    int err = cairn_reader_each(reader, &threads);

    if (reading.error)
        return reading.error;
    return err == ENODATA ? 0 : err;
}
