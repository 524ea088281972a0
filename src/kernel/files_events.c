/* SPDX-License-Identifier: MIT */
/*
 * The files of events, as in kernel/trace/trace_events.c and trace_events_filter.c of Linux 6.12.
 */
#include "core/atomic.h"
#include "core/schema_format.h"
#include "kernel/enable.h"
#include "kernel/event_filter.h"
#include "kernel/event_state.h"
#include "kernel/files.h"
#include "kernel/recent_errors.h"
#include "kernel/section.h"

/* The longest word that set_event accepts, in bytes. */
#define WORD_MAX_BYTES 127u

/* The next event of the file's system. */
static struct cairn_trace_event *next_of_system(const struct cairn_i_file *file,
                                                const struct cairn_trace_event *event)
{
    struct cairn_trace_event *next = cairn_trace_next(file->trace, event);

    while (next && file->system.length &&
           !cairn_slice_equal(cairn_slice_of(next->system), file->system))
        next = cairn_trace_next(file->trace, next);
    return next;
}

/* ---- lists of events ---- */

static void add_name(struct cairn_text *to, const struct cairn_trace_event *event)
{
    cairn_text_put(to, event->system);
    cairn_text_put(to, ":");
    cairn_text_put(to, event->name);
    cairn_text_put(to, "\n");
}

int cairn_i_read_available_events(const struct cairn_i_file *file, struct cairn_text *to)
{
    const struct cairn_trace_event *event = NULL;

    while ((event = cairn_trace_next(file->trace, event)))
        add_name(to, event);
    return 0;
}

int cairn_i_read_set_event(const struct cairn_i_file *file, struct cairn_text *to)
{
    const struct cairn_trace_event *event = NULL;

    while ((event = cairn_trace_next(file->trace, event))) {
        if (cairn_trace_event_is_enabled(event))
            add_name(to, event);
    }
    return 0;
}

/* Takes the next word, which a space or a NUL ends. */
static struct cairn_slice take_word(struct cairn_slice *text)
{
    struct cairn_slice word;
    uint32_t end = 0;

    while (text->length && (cairn_is_kernel_space(text->text[0]) || !text->text[0]))
        *text = cairn_slice_after(*text, 1);
    while (end < text->length && !cairn_is_kernel_space(text->text[end]) && text->text[end])
        end++;
    word = cairn_slice_first(*text, end);
    *text = cairn_slice_after(*text, end);
    return word;
}

int cairn_i_write_set_event(const struct cairn_i_file *file, struct cairn_slice text)
{
    struct cairn_slice word;
    int err = 0;

    while (!err && (word = take_word(&text)).length) {
        bool on = word.text[0] != '!';
        struct cairn_i_pattern pattern = cairn_i_pattern(cairn_slice_after(word, !on));

        err = word.length > WORD_MAX_BYTES ? EINVAL
                                           : cairn_i_trace_enable(file->trace, &pattern, on, NULL);
    }
    return cairn_i_trace_enabled(file->trace, err);
}

void cairn_i_truncate_set_event(const struct cairn_i_file *file)
{
    const struct cairn_i_pattern all = {0};

    (void)cairn_i_trace_enabled(file->trace, cairn_i_trace_enable(file->trace, &all, false, NULL));
}

/* ---- enable, id, format ---- */

int cairn_i_read_enable(const struct cairn_i_file *file, struct cairn_text *to)
{
    cairn_text_put(to, cairn_trace_event_is_enabled(file->event) ? "1\n" : "0\n");
    return 0;
}

int cairn_i_write_enable(const struct cairn_i_file *file, struct cairn_slice text)
{
    bool on;
    int err = cairn_i_file_bool(text, &on);

    return err ? err : cairn_trace_event_enable(file->event, on);
}

int cairn_i_read_system_enable(const struct cairn_i_file *file, struct cairn_text *to)
{
    const struct cairn_trace_event *event = NULL;
    uint32_t seen = 0; /* bit 0: one that is off; bit 1: one that is on */

    while ((event = next_of_system(file, event)))
        seen |= cairn_trace_event_is_enabled(event) ? 2 : 1;
    cairn_text_add(to, (struct cairn_slice){&"?01X"[seen], 1});
    cairn_text_put(to, "\n");
    return 0;
}

int cairn_i_write_system_enable(const struct cairn_i_file *file, struct cairn_slice text)
{
    const struct cairn_i_pattern pattern = {.system = file->system};
    bool on;
    int err = cairn_i_file_bool(text, &on);

    if (err)
        return err;
    return cairn_i_trace_enabled(file->trace,
                                 cairn_i_trace_enable(file->trace, &pattern, on, NULL));
}

int cairn_i_read_id(const struct cairn_i_file *file, struct cairn_text *to)
{
    cairn_text_printf(to, "%u\n", file->event->id);
    return 0;
}

int cairn_i_read_format(const struct cairn_i_file *file, struct cairn_text *to)
{
    const struct cairn_trace_class *of = file->event->event_class;
    struct cairn_i_enums enums = {of->enums_start, of->enums_stop, file->system};
    struct cairn_schema schema;

    cairn_trace_event_schema(file->event, &schema);
    cairn_i_schema_add_format(to, &schema, file->event->id, &enums);
    return 0;
}

/* ---- filters ---- */

static void add_filter(struct cairn_text *to, const struct cairn_trace_state *state)
{
    if (state && state->shown) {
        cairn_text_add(to, (struct cairn_slice){state->shown, state->shown_length});
        return;
    }
    cairn_text_put(to, state && state->filter ? cairn_filter_text(state->filter) : "none");
    cairn_text_put(to, "\n");
}

int cairn_i_read_filter(const struct cairn_i_file *file, struct cairn_text *to)
{
    struct cairn_i_section section;

    cairn_i_section_enter(file->trace, &section);
    add_filter(to, cairn_load_acquire(&file->event->state));
    cairn_i_section_leave(&section);
    return 0;
}

int cairn_i_write_filter(const struct cairn_i_file *file, struct cairn_slice text)
{
    int err = cairn_trace_event_filter_set(file->event, text.text, text.length, NULL);

    return err == E2BIG ? EINVAL : err;
}

/* Linux can store an error here, but a system's filter has errors for its events only. */
int cairn_i_read_system_filter(const struct cairn_i_file *file, struct cairn_text *to)
{
    (void)file;
    cairn_text_put(to, "### global filter ###\n"
                       "# Use this to set filters for multiple events.\n"
                       "# Only events with the given fields will be affected.\n"
                       "# If no events are modified, an error message will be displayed "
                       "here\n");
    return 0;
}

/* Sets the filter, or its error, of each event. The write succeeds in both cases. */
int cairn_i_write_system_filter(const struct cairn_i_file *file, struct cairn_slice text)
{
    const struct cairn_filter_error bad_system = {
        .reason = cairn_filter_reason(CAIRN_FILTER_BAD_SYSTEM), .kind = CAIRN_FILTER_BAD_SYSTEM};
    struct cairn_trace_event *event = NULL;
    int err = 0;

    if (text.length >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return EINVAL;
    while ((!err || err == EINVAL) && (event = next_of_system(file, event)))
        err = cairn_i_filter_set(event, text.text, text.length, &bad_system, NULL);
    (void)cairn_i_trace_follow(file->trace);
    return err == EINVAL ? 0 : err;
}

/* ---- error_log ---- */

int cairn_i_read_error_log(const struct cairn_i_file *file, struct cairn_text *to)
{
    struct cairn_i_section section;

    cairn_i_section_enter(file->trace, &section);
    cairn_i_error_show(file->trace, to);
    cairn_i_section_leave(&section);
    return 0;
}

void cairn_i_truncate_error_log(const struct cairn_i_file *file)
{
    cairn_i_error_clear(file->trace);
}
