/* SPDX-License-Identifier: MIT */
/* The filters of events: stored in a file that all programs share. */
#include "tracefs/filters.h"
#include "core/slice.h"
#include "kernel/error_log.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "os/file.h"
#include "tracefs/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES CAIRN_FILTER_TEXT_MAX_BYTES
#define SHOWN_BYTES    (2 * TEXT_MAX_BYTES + 256) /* a text, a caret below it, the error */
#define ERRORS_MAX     KERNEL_ERROR_LOG_ENTRIES_MAX
#define COMPILED_MAX   64u

enum slot_state {
    SLOT_FREE = 0,
    SLOT_FILTER,
    SLOT_REFUSED,
};

/* A slot of the file: first those of the error log, then one for each event. */
struct filters_slot {
    uint64_t session;
    uint64_t id;       /* of the event */
    uint64_t time_ns;  /* of an error */
    uint32_t state;    /* enum slot_state */
    uint32_t length;   /* of the text */
    uint32_t position; /* of the error */
    uint32_t kind;     /* enum cairn_filter_error_kind */
    char text[TEXT_MAX_BYTES];
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
    return engine_directory_open(&engine_self.local.directory, "filters", flags);
}

static off_t offset_of(uint32_t number)
{
    return (off_t)(number * sizeof(struct filters_slot));
}

static uint32_t number_of_event(uint64_t id)
{
    return ERRORS_MAX + engine_sample_index(id);
}

static bool read_slot(uint32_t number, uint64_t session, struct filters_slot *slot)
{
    int fd = open_file(O_RDONLY);
    ssize_t size = fd < 0 ? -1 : pread(fd, slot, sizeof(*slot), offset_of(number));

    if (fd >= 0)
        close(fd);
    return size == (ssize_t)sizeof(*slot) && slot->session == session &&
           slot->length < TEXT_MAX_BYTES && slot->state != SLOT_FREE;
}

static int write_slot(uint32_t number, const struct filters_slot *slot)
{
    int fd = open_file(O_RDWR | O_CREAT);
    ssize_t size;
    int error;

    if (fd < 0)
        return errno;
    error = os_file_back(fd, (size_t)offset_of(number), sizeof(*slot));
    if (!error) {
        size = pwrite(fd, slot, sizeof(*slot), offset_of(number));
        error = size < 0 ? errno : size != (ssize_t)sizeof(*slot) ? ENOSPC : 0;
    }
    close(fd);
    return error == ENOSPC || error == EFBIG ? ENOMEM : error;
}

static bool read_event(const struct tracefs_lines_file *file, uint64_t id,
                       struct filters_slot *slot)
{
    return file->filter_changes && read_slot(number_of_event(id), file->session, slot) &&
           slot->id == id;
}

/* ---- setting ---- */

/* Memory for the largest of filters, of which little is touched. */
static int compile(struct compiled *cached, const struct cairn_schema *schema, const char *text,
                   size_t length, struct cairn_filter_error *ret_error)
{
    const size_t space = cairn_filter_memory_bytes(TEXT_MAX_BYTES);
    struct cairn_filter *filter;
    int error;

    cached->filter = NULL;
    if (!cached->memory)
        cached->memory = tracefs_memory_take(space);
    if (!cached->memory)
        return ENOMEM;
    error = cairn_filter_compile_for_cpus(schema, (uint32_t)sysconf(_SC_NPROCESSORS_CONF), text,
                                          length, cached->memory, space, &filter, ret_error);
    if (!error)
        cached->filter = filter;
    return error;
}

static int log_error(struct tracefs_lines_file *file, const struct filters_slot *refused)
{
    struct filters_slot entry = *refused;
    int error;

    entry.time_ns = os_clock_ns();
    error = write_slot(file->errors_end % ERRORS_MAX, &entry);
    if (!error)
        file->errors_end++;
    return error;
}

static struct compiled *cached_filter(uint64_t id)
{
    return &compiled[engine_sample_index(id) % COMPILED_MAX];
}

/* Tries the filter, and fills the slot. Returns 0; EINVAL it is refused; ENOMEM. */
static int prepare(const struct tracefs_event *event, struct cairn_slice text,
                   const struct cairn_filter_error *shown, struct filters_slot *slot)
{
    const struct cairn_slice written = core_slice_written(text);
    struct compiled *cached = cached_filter(event->id);
    struct cairn_filter_error wrong = {0};
    int error;

    slot->length = written.length;
    memcpy(slot->text, written.text, written.length);
    cached->id = 0; /* its memory is used to try the filter */
    if (cairn_filter_text_clears(text.text, text.length))
        return 0;
    error = compile(cached, &event->schema, text.text, text.length, &wrong);
    slot->state = error ? SLOT_REFUSED : SLOT_FILTER;
    slot->position = shown ? shown->position : wrong.position;
    slot->kind = shown ? shown->kind : wrong.kind;
    return error;
}

int tracefs_filters_set(struct tracefs_lines_file *file, uint64_t id, struct cairn_slice text,
                        const struct cairn_filter_error *shown)
{
    struct filters_slot slot = {.session = file->session, .id = id};
    struct tracefs_event event = {0};
    int refused;
    int error;

    if (!tracefs_event_read(id, &event))
        return ENODEV;
    if (text.length >= TEXT_MAX_BYTES)
        return EINVAL;
    refused = prepare(&event, text, shown, &slot);
    if (refused && refused != EINVAL)
        return refused;
    error = write_slot(number_of_event(id), &slot);
    if (!error && refused)
        error = log_error(file, &slot);
    file->filter_changes++;
    return error ? error : refused;
}

int tracefs_filters_set_all(struct tracefs_lines_file *file, uint32_t system,
                            struct cairn_slice text)
{
    const struct cairn_filter_error bad_system = {.kind = CAIRN_FILTER_BAD_SYSTEM};
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
    struct cairn_filter_error wrong;
    char shown[SHOWN_BYTES];
    struct filters_slot slot;
    size_t length;

    if (!read_event(file, id, &slot)) {
        engine_output_print(output, "none\n");
        return;
    }
    if (slot.state == SLOT_FILTER) {
        engine_output_write(output, slot.text, slot.length);
        engine_output_write(output, "\n", 1);
        return;
    }
    wrong = (struct cairn_filter_error){slot.position, cairn_filter_reason(slot.kind), slot.kind};
    if (!cairn_filter_write_error(slot.text, slot.length, &wrong, shown, sizeof(shown), &length))
        engine_output_write(output, shown, length);
}

static void print_error(const struct filters_slot *slot, struct engine_output *output)
{
    const struct kernel_error_log_entry entry = {
        .time_ns = slot->time_ns,
        .where = KERNEL_ERROR_LOG_FILTER,
        .reason = cairn_filter_reason(slot->kind),
        .position = slot->position,
        .command_length = slot->length,
    };
    char text[SHOWN_BYTES];
    size_t length;

    if (!kernel_error_log_write_entry(&entry, slot->text, text, sizeof(text), &length))
        engine_output_write(output, text, length);
}

void tracefs_filters_print_errors(const struct tracefs_lines_file *file,
                                  struct engine_output *output)
{
    uint32_t count = file->errors_end - file->errors_from;
    struct filters_slot slot;

    if (count > ERRORS_MAX)
        count = ERRORS_MAX;
    for (uint32_t i = file->errors_end - count; i != file->errors_end; i++) {
        if (read_slot(i % ERRORS_MAX, file->session, &slot))
            print_error(&slot, output);
    }
}

void tracefs_filters_clear_errors(struct tracefs_lines_file *file)
{
    file->errors_from = file->errors_end;
}

/* ---- choosing ---- */

static void look_up(struct compiled *cached, const struct tracefs_lines_file *file,
                    const struct tracefs_event *event)
{
    struct filters_slot slot;

    cached->filter = NULL;
    if (read_event(file, event->id, &slot) && slot.state == SLOT_FILTER)
        (void)compile(cached, &event->schema, slot.text, slot.length, NULL);
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
