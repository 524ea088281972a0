/* SPDX-License-Identifier: MIT */
/* Losses of a recording that the recorder knew of: a record that perf skips, see disk.h. */
#include "core/cursor.h"
#include "perf_data/missing.h"
#include "perf_data/file.h"
#include "perf_data/writer.h"

#include <errno.h>
#include <string.h>

int cairn_perf_writer_missing(struct cairn_perf_writer *writer,
                              const struct cairn_perf_missing *missing)
{
    static const char name[PERF_DATA_EVENT_TYPE_NAME_BYTES] = "cairn:missing";
    struct cairn_bytes b = {0};
    size_t record = perf_data_bytes_begin_record(&b, CAIRN_PERF_RECORD_HEADER_EVENT_TYPE);
    int err;

    perf_data_bytes_put_u64(&b, 0);
    perf_data_bytes_put(&b, name, sizeof(name));
    perf_data_bytes_put_u64(&b, PERF_DATA_MISSING_MAGIC);
    perf_data_bytes_put_u32(&b, CAIRN_LOSS_CAUSES);
    perf_data_bytes_put_u32(&b, missing->directory_gone);
    perf_data_bytes_put_u64(&b, missing->damaged);
    for (uint32_t i = 0; i < CAIRN_LOSS_CAUSES; i++) {
        perf_data_bytes_put_u64(&b, missing->lost[i]);
        perf_data_bytes_put_u64(&b, missing->processes[i]);
    }
    perf_data_bytes_put_u32(&b, missing->kernel_gap);
    perf_data_bytes_put_u32(&b, missing->silences);
    perf_data_bytes_put_u32(&b, missing->changed_cpus);
    perf_data_bytes_put_u32(&b, missing->directories_left_out);
    perf_data_bytes_end_record(&b, record);
    err = b.error ? b.error : cairn_perf_writer_write(writer, b.data, b.size);
    perf_data_bytes_free(&b);
    return err;
}

/* Reads the counts that earlier versions did not write: their records end before them. */
static void read_later(struct core_cursor *c, struct cairn_perf_missing *missing)
{
    uint32_t *const members[] = {&missing->kernel_gap, &missing->silences, &missing->changed_cpus,
                                 &missing->directories_left_out};

    for (size_t i = 0; i < sizeof(members) / sizeof(*members) && c->left >= sizeof(uint32_t); i++)
        *members[i] = core_cursor_u32(c);
}

/* Each such record replaces the previous one. A later version may have more causes. */
int perf_data_missing_read(struct cairn_perf_file *file, struct core_cursor c)
{
    struct cairn_perf_missing missing = {0};
    uint32_t causes = core_cursor_u32(&c);

    missing.directory_gone = core_cursor_u32(&c);
    missing.damaged = core_cursor_u64(&c);
    for (uint32_t i = 0; i < causes && !c.error; i++) {
        uint32_t cause = i < CAIRN_LOSS_CAUSES ? i : CAIRN_LOSS_OTHER;

        missing.lost[cause] += core_cursor_u64(&c);
        missing.processes[cause] += core_cursor_u64(&c);
    }
    if (c.error)
        return EBADMSG;
    read_later(&c, &missing);
    file->missing = missing;
    return 0;
}

/* Raises the highest count. Returns by how much. */
static uint64_t raise_highest(uint64_t *highest, uint64_t count)
{
    uint64_t more = count > *highest ? count - *highest : 0;

    *highest += more;
    return more;
}

static uint32_t raise_highest_u32(uint32_t *highest, uint32_t count)
{
    uint32_t more = count > *highest ? count - *highest : 0;

    *highest += more;
    return more;
}

void perf_data_missing_add(struct cairn_perf_missing *all, struct cairn_perf_missing *of_machine,
                           const struct cairn_perf_missing *part)
{
    for (unsigned cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
        all->lost[cause] += part->lost[cause];
        all->processes[cause] +=
            raise_highest(&of_machine->processes[cause], part->processes[cause]);
    }
    all->damaged += part->damaged;
    all->directory_gone |= part->directory_gone;
    all->kernel_gap |= part->kernel_gap;
    all->silences += part->silences;
    all->changed_cpus += raise_highest_u32(&of_machine->changed_cpus, part->changed_cpus);
    all->directories_left_out +=
        raise_highest_u32(&of_machine->directories_left_out, part->directories_left_out);
}

void perf_data_missing_raise_lost(struct cairn_perf_missing *missing, uint64_t lost)
{
    uint64_t known = 0;

    for (size_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
        known += missing->lost[cause];
    if (known < lost)
        missing->lost[CAIRN_LOSS_OTHER] += lost - known;
}

const struct cairn_perf_missing *cairn_perf_file_missing(const struct cairn_perf_file *file)
{
    return &file->missing;
}
