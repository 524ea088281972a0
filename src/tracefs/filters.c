/* SPDX-License-Identifier: MIT */
/* The filters of events: stored in a file that all programs share. */
#include "tracefs/filters.h"
#include "core/atomic.h"
#include "core/slice.h"
#include "kernel/error_log.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "os/file.h"
#include "tracefs/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES CAIRN_FILTER_TEXT_MAX_BYTES
#define COMPILED_MAX   64u

/* The content of the `filter` file of an event. Our file has a slot for each event. */
struct filters_slot {
    uint64_t session;
    uint64_t id; /* of the event */
    uint32_t is_refused;
    uint32_t length;                      /* 0: there is no filter */
    char text[TRACEFS_LINES_ERROR_BYTES]; /* the filter and a line break, or its error */
};

/* A filter as this process uses it; its memory stays. */
struct compiled {
    uint64_t session;
    uint64_t id;
    uint32_t changes;                  /* of all filters, when it was read */
    const struct cairn_filter *filter; /* NULL: there is none */
    void *memory;
};

static struct compiled compiled[COMPILED_MAX];

/* ---- the file ---- */

static int open_file(int flags)
{
    return engine_directory_open(&engine_self.local.directory, "event_filters", flags);
}

static off_t offset_of(uint64_t id)
{
    return (off_t)(engine_sample_index(id) * sizeof(struct filters_slot));
}

/* False: the event has no filter. */
static bool read_slot(const struct tracefs_lines_file *file, uint64_t id, struct filters_slot *slot)
{
    int fd = file->filter_changes ? open_file(O_RDONLY) : -1;
    ssize_t size = fd < 0 ? -1 : pread(fd, slot, sizeof(*slot), offset_of(id));

    if (fd >= 0)
        close(fd);
    return size == (ssize_t)sizeof(*slot) && slot->session == file->session && slot->id == id &&
           slot->length && slot->length <= sizeof(slot->text);
}

static int write_slot(const struct filters_slot *slot)
{
    int fd = open_file(O_RDWR | O_CREAT);
    off_t offset = offset_of(slot->id);
    ssize_t size;
    int error;

    if (fd < 0)
        return errno;
    error = os_file_back(fd, (size_t)offset, sizeof(*slot));
    if (!error) {
        size = pwrite(fd, slot, sizeof(*slot), offset);
        error = size < 0 ? errno : size != (ssize_t)sizeof(*slot) ? ENOSPC : 0;
    }
    close(fd);
    return error == ENOSPC || error == EFBIG ? ENOMEM : error;
}

/* ---- setting ---- */

static struct compiled *cached_filter(uint64_t id)
{
    return &compiled[engine_sample_index(id) % COMPILED_MAX];
}

/* Memory for the largest of filters, of which little is touched. */
static int compile(struct compiled *cached, const struct cairn_schema *schema,
                   struct cairn_slice text, struct cairn_filter_error *ret_error)
{
    const size_t space = cairn_filter_memory_bytes(TEXT_MAX_BYTES);
    struct cairn_filter *filter;
    int error;

    cached->filter = NULL;
    if (!cached->memory)
        cached->memory = tracefs_memory_take(space);
    if (!cached->memory)
        return ENOMEM;
    error =
        cairn_filter_compile_for_cpus(schema, (uint32_t)sysconf(_SC_NPROCESSORS_CONF), text.text,
                                      text.length, cached->memory, space, &filter, ret_error);
    if (!error)
        cached->filter = filter;
    return error;
}

static void log_error(struct tracefs_lines_file *file, struct cairn_slice text,
                      const struct cairn_filter_error *error)
{
    const struct kernel_error_log_entry entry = {
        .time_ns = os_clock_ns(),
        .where = KERNEL_ERROR_LOG_FILTER,
        .reason = error->reason,
        .position = error->position,
        .command_length = text.length,
    };
    char *to = file->errors[file->errors_end % TRACEFS_LINES_ERRORS];

    if (!kernel_error_log_write_entry(&entry, text.text, to, sizeof(*file->errors), NULL))
        file->errors_end++;
}

/* Fills the slot with a filter, or with its error. */
static void fill(struct filters_slot *slot, struct cairn_slice written,
                 const struct cairn_filter_error *error)
{
    size_t length = written.length;

    if (!error)
        (void)snprintf(slot->text, sizeof(slot->text), "%.*s\n", (int)length++, written.text);
    else if (cairn_filter_write_error(written.text, written.length, error, slot->text,
                                      sizeof(slot->text), &length))
        length = 0;
    slot->length = (uint32_t)length;
    slot->is_refused = error != NULL;
}

int tracefs_filters_set(struct tracefs_lines_file *file, uint64_t id, struct cairn_slice text,
                        const struct cairn_filter_error *shown)
{
    const struct cairn_slice written = core_slice_written(text);
    struct filters_slot slot = {.session = file->session, .id = id};
    struct cairn_filter_error wrong = {0};
    struct tracefs_event event = {0};
    int refused = 0;
    int error;

    if (!tracefs_event_read(id, &event))
        return ENODEV;
    if (text.length >= TEXT_MAX_BYTES)
        return EINVAL;
    cached_filter(id)->id = 0; /* its memory is used to try the filter */
    if (!cairn_filter_text_clears(text.text, text.length)) {
        refused = compile(cached_filter(id), &event.schema, text, &wrong);
        if (refused && refused != EINVAL)
            return refused;
        fill(&slot, written, !refused ? NULL : shown ? shown : &wrong);
    }
    error = write_slot(&slot);
    if (!error && refused)
        log_error(file, written, shown ? shown : &wrong);
    file->filter_changes++;
    return error ? error : refused;
}

int tracefs_filters_set_all(struct tracefs_lines_file *file, uint32_t system,
                            struct cairn_slice text)
{
    const struct cairn_filter_error bad_system = {
        .reason = cairn_filter_reason(CAIRN_FILTER_BAD_SYSTEM), .kind = CAIRN_FILTER_BAD_SYSTEM};
    int error = text.length < TEXT_MAX_BYTES ? 0 : EINVAL;

    for (uint32_t i = 0; !error && (i = tracefs_event_next(system, i));) {
        error = tracefs_filters_set(file, tracefs_event_id(i), text, &bad_system);
        if (error == EINVAL || error == ENODEV)
            error = 0;
    }
    return error;
}

/* ---- showing ---- */

void tracefs_filters_print(const struct tracefs_lines_file *file, uint64_t id,
                           struct engine_output *output)
{
    struct filters_slot slot;

    if (read_slot(file, id, &slot))
        engine_output_write(output, slot.text, slot.length);
    else
        engine_output_print(output, "none\n");
}

void tracefs_filters_print_errors(const struct tracefs_lines_file *file,
                                  struct engine_output *output)
{
    uint32_t end = core_load_relaxed(&file->errors_end);
    uint32_t count = end - core_load_relaxed(&file->errors_from);

    if (count > TRACEFS_LINES_ERRORS)
        count = TRACEFS_LINES_ERRORS;
    for (uint32_t i = end - count; i != end; i++) {
        const char *text = file->errors[i % TRACEFS_LINES_ERRORS];

        engine_output_write(output, text, strnlen(text, sizeof(*file->errors)));
    }
}

/* ---- choosing ---- */

static void look_up(struct compiled *cached, const struct tracefs_lines_file *file,
                    const struct tracefs_event *event)
{
    struct filters_slot slot;

    cached->filter = NULL;
    if (read_slot(file, event->id, &slot) && !slot.is_refused)
        (void)compile(cached, &event->schema, (struct cairn_slice){slot.text, slot.length - 1},
                      NULL);
    cached->session = file->session;
    cached->id = event->id;
    cached->changes = file->filter_changes;
}

bool tracefs_filters_choose(const struct tracefs_lines_file *file,
                            const struct tracefs_event *event, const uint8_t *record,
                            uint32_t size_bytes, const char comm[16])
{
    const uint32_t raw = offsetof(struct cairn_record_head, common_type);
    struct compiled *cached = cached_filter(event->id);
    struct cairn_filter_task task = {.comm = comm};

    if (!file->filter_changes)
        return true;
    if (cached->id != event->id || cached->changes != file->filter_changes ||
        cached->session != file->session)
        look_up(cached, file, event);
    if (!cached->filter)
        return true;
    memcpy(&task.cpu, record + offsetof(struct cairn_record_head, cpu), sizeof(task.cpu));
    return cairn_filter_match(cached->filter, record + raw, size_bytes - raw, &task);
}
