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
#include "kernel/trace_text_header.h"

/* The longest word that set_event accepts, in bytes. */
#define WORD_MAX_BYTES 127u

/* The next event of the file's system. */
static struct cairn_trace_event *next_of_system(const struct kernel_file *file,
                                                const struct cairn_trace_event *event)
{
    struct cairn_trace_event *next = cairn_trace_next(file->trace, event);

    while (next && file->system.length &&
           !core_slice_equal(core_slice_of(next->system), file->system))
        next = cairn_trace_next(file->trace, next);
    return next;
}

/* ---- lists of events ---- */

static void add_name(struct cairn_text *to, const struct cairn_trace_event *event)
{
    core_text_put(to, event->system);
    core_text_put(to, ":");
    core_text_put(to, event->name);
    core_text_put(to, "\n");
}

int kernel_read_available_events(const struct kernel_file *file, struct cairn_text *to)
{
    const struct cairn_trace_event *event = NULL;

    while ((event = cairn_trace_next(file->trace, event)))
        add_name(to, event);
    return 0;
}

int kernel_read_set_event(const struct kernel_file *file, struct cairn_text *to)
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

    while (text->length && (core_is_kernel_space(text->text[0]) || !text->text[0]))
        *text = core_slice_after(*text, 1);
    while (end < text->length && !core_is_kernel_space(text->text[end]) && text->text[end])
        end++;
    word = core_slice_first(*text, end);
    *text = core_slice_after(*text, end);
    return word;
}

int kernel_write_set_event(const struct kernel_file *file, struct cairn_slice text)
{
    struct cairn_slice word;
    int err = 0;

    while (!err && (word = take_word(&text)).length) {
        bool on = word.text[0] != '!';
        struct kernel_pattern pattern = kernel_pattern(core_slice_after(word, !on));

        err = word.length > WORD_MAX_BYTES ? EINVAL
                                           : kernel_trace_enable(file->trace, &pattern, on, NULL);
    }
    return kernel_trace_enabled(file->trace, err);
}

void kernel_truncate_set_event(const struct kernel_file *file)
{
    const struct kernel_pattern all = {0};

    (void)kernel_trace_enabled(file->trace, kernel_trace_enable(file->trace, &all, false, NULL));
}

/* ---- enable, id, format ---- */

int kernel_read_enable(const struct kernel_file *file, struct cairn_text *to)
{
    core_text_put(to, cairn_trace_event_is_enabled(file->event) ? "1\n" : "0\n");
    return 0;
}

int kernel_write_enable(const struct kernel_file *file, struct cairn_slice text)
{
    bool on;
    int err = kernel_file_bool(text, &on);

    return err ? err : cairn_trace_event_enable(file->event, on);
}

int kernel_read_system_enable(const struct kernel_file *file, struct cairn_text *to)
{
    const struct cairn_trace_event *event = NULL;
    uint32_t seen = 0; /* bit 0: one that is off; bit 1: one that is on */

    while ((event = next_of_system(file, event)))
        seen |= cairn_trace_event_is_enabled(event) ? 2 : 1;
    core_text_add(to, (struct cairn_slice){&"?01X"[seen], 1});
    core_text_put(to, "\n");
    return 0;
}

int kernel_write_system_enable(const struct kernel_file *file, struct cairn_slice text)
{
    const struct kernel_pattern pattern = {.system = file->system};
    bool on;
    int err = kernel_file_bool(text, &on);

    if (err)
        return err;
    return kernel_trace_enabled(file->trace, kernel_trace_enable(file->trace, &pattern, on, NULL));
}

int kernel_read_id(const struct kernel_file *file, struct cairn_text *to)
{
    cairn_text_printf(to, "%u\n", file->event->id);
    return 0;
}

int kernel_read_format(const struct kernel_file *file, struct cairn_text *to)
{
    const struct cairn_trace_class *of = file->event->event_class;
    struct core_enums enums = {of->enums_start, of->enums_stop, file->system};
    struct cairn_schema schema;

    cairn_trace_event_schema(file->event, &schema);
    core_schema_add_format(to, &schema, file->event->id, &enums);
    return 0;
}

/* ---- filters ---- */

static void add_filter(struct cairn_text *to, const struct cairn_trace_state *state)
{
    if (state && state->shown) {
        core_text_add(to, (struct cairn_slice){state->shown, state->shown_length});
        return;
    }
    core_text_put(to, state && state->filter ? cairn_filter_text(state->filter) : "none");
    core_text_put(to, "\n");
}

int kernel_read_filter(const struct kernel_file *file, struct cairn_text *to)
{
    struct kernel_section section;

    kernel_section_enter(file->trace, &section);
    add_filter(to, core_load_acquire(&file->event->state));
    kernel_section_leave(&section);
    return 0;
}

int kernel_write_filter(const struct kernel_file *file, struct cairn_slice text)
{
    int err = cairn_trace_event_filter_set(file->event, text.text, text.length, NULL);

    return err == E2BIG ? EINVAL : err;
}

/* Linux can store an error here, but a system's filter has errors for its events only. */
int kernel_read_system_filter(const struct kernel_file *file, struct cairn_text *to)
{
    (void)file;
    core_text_put(to, KERNEL_SYSTEM_FILTER);
    return 0;
}

/* Sets the filter, or its error, of each event. The write succeeds in both cases. */
int kernel_write_system_filter(const struct kernel_file *file, struct cairn_slice text)
{
    const struct cairn_filter_error bad_system = {
        .reason = cairn_filter_reason(CAIRN_FILTER_BAD_SYSTEM), .kind = CAIRN_FILTER_BAD_SYSTEM};
    struct cairn_trace_event *event = NULL;
    int err = 0;

    if (text.length >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return EINVAL;
    while ((!err || err == EINVAL) && (event = next_of_system(file, event)))
        err = kernel_filter_set(event, text.text, text.length, &bad_system, NULL);
    (void)kernel_trace_apply(file->trace);
    return err == EINVAL ? 0 : err;
}

/* ---- error_log ---- */

int kernel_read_error_log(const struct kernel_file *file, struct cairn_text *to)
{
    struct kernel_section section;

    kernel_section_enter(file->trace, &section);
    kernel_error_show(file->trace, to);
    kernel_section_leave(&section);
    return 0;
}

void kernel_truncate_error_log(const struct kernel_file *file)
{
    kernel_error_clear(file->trace);
}
