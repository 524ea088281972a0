/* SPDX-License-Identifier: MIT */
/*
 * An ETL file is a sequence of buffers of one size, each with a head of 72 bytes. The first record
 * of the first buffer is the file's head: a kernel's record of group 0 and type 0.
 */
#include "etl/file.h"
#include "core/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_HEAD_BYTES 72u
#define BUFFER_MAX_BYTES  (1u << 26)
#define CPUS_MAX          8192u
#define FREQUENCY_MAX     10000000000u /* so that ns of a part of a second can be computed */

/* Flags of a buffer. */
#define EVENTS_LOST     0x2u
#define BUFFER_LOST     0x4u
#define HAS_CPU_INDEX   0x20u
#define IS_COMPRESSED   0x40u
#define MODE_COMPRESSED 0x04000000u /* of the file */

enum etl_clock { CLOCK_COUNTER = 1, CLOCK_SYSTEM = 2, CLOCK_CYCLES = 3 };

static const bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static int fail(struct etl_file *file, int error, uint64_t at, const char *text)
{
    if (!file->error) {
        file->error = error;
        file->error_at = at;
        file->error_text = text;
    }
    return error;
}

/* ---- buffers ---- */

struct etl_file_head {
    uint32_t size;
    uint32_t end;
    uint32_t cpu;
    uint16_t flags;
};

static void read_head(const uint8_t *at, struct etl_file_head *ret_head)
{
    uint32_t saved = core_load32(at + 4, swap);
    uint32_t offset = core_load32(at + 48, swap);

    ret_head->size = core_load32(at, swap);
    ret_head->end = saved ? saved : offset;
    ret_head->flags = core_load16(at + 52, swap);
    ret_head->cpu = ret_head->flags & HAS_CPU_INDEX ? core_load16(at + 40, swap) : at[40];
}

static bool is_head(const struct etl_file_head *head)
{
    return head->size >= BUFFER_HEAD_BYTES && head->size <= BUFFER_MAX_BYTES &&
           head->end >= BUFFER_HEAD_BYTES && head->end <= head->size;
}

bool etl_file_is_one(const uint8_t *bytes, size_t size)
{
    struct etl_file_head head;

    if (size < ETL_HEAD_BYTES)
        return false;
    read_head(bytes, &head);
    bytes += BUFFER_HEAD_BYTES;
    /* A kernel's record, of group 0 and type 0. A compressed buffer has other bytes here. */
    return is_head(&head) && head.size % 8 == 0 &&
           ((bytes[3] & 0xc0) == 0xc0 && (bytes[2] == 1 || bytes[2] == 2) && !bytes[6] &&
            !bytes[7]);
}

static struct etl_cpu *cpu_of(struct etl_file *file, uint32_t number)
{
    for (uint32_t i = 0; i < file->cpu_count; i++) {
        if (file->cpus[i].number == number)
            return &file->cpus[i];
    }
    if (file->cpu_count == CPUS_MAX)
        return NULL;
    file->cpus[file->cpu_count] = (struct etl_cpu){.number = number};
    return &file->cpus[file->cpu_count++];
}

/* Adds a buffer at the end of its processor's. */
static void add_buffer(struct etl_file *file, uint64_t at, const struct etl_file_head *head)
{
    struct etl_cpu *cpu = cpu_of(file, head->cpu);
    uint32_t index = file->buffer_count++;

    file->buffers[index] = (struct etl_buffer){.at = at, .end = head->end};
    if (!cpu)
        return;
    if (cpu->last)
        file->buffers[cpu->last - 1].next = index + 1;
    else
        cpu->buffer = index + 1;
    cpu->last = index + 1;
}

/* Reads the heads of all buffers. Damage ends it; what is before is read. */
static int find_buffers(struct etl_file *file, uint32_t buffer_bytes)
{
    uint64_t at = 0;
    struct etl_file_head head;

    for (; at < file->size; at += buffer_bytes) {
        uint64_t left = file->size - at;

        if (left < BUFFER_HEAD_BYTES) {
            (void)fail(file, EBADMSG, at, "the file is cut short");
            break;
        }
        read_head(file->bytes + at, &head);
        if (!is_head(&head) || head.size != buffer_bytes) {
            (void)fail(file, EBADMSG, at, "a buffer has an invalid head");
            break;
        }
        if (head.flags & IS_COMPRESSED)
            return fail(file, EOPNOTSUPP, at, "compressed files are not read");
        if (head.flags & (EVENTS_LOST | BUFFER_LOST))
            file->lost++;
        if (head.end > left) {
            (void)fail(file, EBADMSG, at, "the file is cut short");
            head.end = (uint32_t)left;
        }
        add_buffer(file, at, &head);
    }
    return 0;
}

/* ---- the file's head ---- */

/* The members after the two names, whose sizes depend on the machine. */
static void read_clock(struct etl_file *file, struct core_cursor c, uint32_t mhz)
{
    uint32_t clock;

    (void)core_cursor_take(&c, (file->pointer_bytes == 8 ? 16 : 8) + 172 + 4); /* and the zone */
    (void)core_cursor_u64(&c);                                                 /* of the boot */
    file->frequency = core_cursor_u64(&c);
    file->start_filetime = core_cursor_u64(&c);
    clock = core_cursor_u32(&c);
    file->lost += core_cursor_u32(&c);
    file->clock = clock == CLOCK_SYSTEM || clock == CLOCK_CYCLES ? clock : CLOCK_COUNTER;
    if (file->clock == CLOCK_CYCLES)
        file->frequency = (uint64_t)mhz * 1000000;
    else if (file->clock == CLOCK_SYSTEM)
        file->frequency = 10000000;
    if (c.error || !file->frequency || file->frequency > FREQUENCY_MAX)
        (void)fail(file, EBADMSG, BUFFER_HEAD_BYTES, "the file's head has no clock");
}

static int read_file_head(struct etl_file *file)
{
    struct etl_record record;
    struct core_cursor c;
    uint32_t buffer_bytes;
    uint32_t mode;
    uint32_t mhz;
    int error =
        etl_record_parse(file->bytes + BUFFER_HEAD_BYTES, file->size - BUFFER_HEAD_BYTES, &record);

    if (error || record.kind != ETL_SYSTEM || record.hook)
        return fail(file, EBADMSG, BUFFER_HEAD_BYTES, "the file has no head");
    c = core_cursor(record.data.data, record.data.size, swap);
    buffer_bytes = core_cursor_u32(&c);
    (void)core_cursor_take(&c, 28); /* versions, processors, the end, the timer, the largest size */
    mode = core_cursor_u32(&c);
    (void)core_cursor_u64(&c);
    file->pointer_bytes = core_cursor_u32(&c);
    file->lost = core_cursor_u32(&c);
    mhz = core_cursor_u32(&c);
    /* The first buffer of a compressed file has a size of its own. */
    if (!c.error && (mode & MODE_COMPRESSED))
        return fail(file, EOPNOTSUPP, 0, "compressed files are not read");
    if (c.error || (file->pointer_bytes != 4 && file->pointer_bytes != 8) ||
        buffer_bytes != core_load32(file->bytes, swap))
        return fail(file, EBADMSG, BUFFER_HEAD_BYTES, "the file's head is invalid");
    file->start_ticks = record.ticks;
    read_clock(file, c, mhz);
    return file->error;
}

int etl_file_open(struct etl_file *file, const uint8_t *bytes, size_t size)
{
    uint32_t buffer_bytes;
    size_t count;
    int error;

    file->bytes = bytes;
    file->size = size;
    if (!etl_file_is_one(bytes, size))
        return fail(file, EBADMSG, 0, "not an ETL file");
    error = read_file_head(file);
    if (error)
        return error;
    buffer_bytes = core_load32(bytes, swap);
    count = size / buffer_bytes + 1;
    file->buffers = calloc(count, sizeof(*file->buffers));
    file->cpus = calloc(count < CPUS_MAX ? count : CPUS_MAX, sizeof(*file->cpus));
    if (!file->buffers || !file->cpus)
        return ENOMEM;
    return find_buffers(file, buffer_bytes);
}

void etl_file_close(struct etl_file *file)
{
    free(file->buffers);
    free(file->cpus);
    file->buffers = NULL;
    file->cpus = NULL;
}

/* ---- records ---- */

static void next_buffer(const struct etl_file *file, struct etl_cpu *cpu)
{
    cpu->buffer = file->buffers[cpu->buffer - 1].next;
    cpu->offset = 0;
}

/* Finds the next record of a processor. The rest of a damaged buffer is left out, and reported. */
static void advance(struct etl_file *file, struct etl_cpu *cpu)
{
    cpu->has_record = false;
    while (cpu->buffer && !cpu->has_record) {
        const struct etl_buffer *buffer = &file->buffers[cpu->buffer - 1];
        uint64_t at;
        int error;

        if (!cpu->offset)
            cpu->offset = BUFFER_HEAD_BYTES;
        if (cpu->offset >= buffer->end) {
            next_buffer(file, cpu);
            continue;
        }
        at = buffer->at + cpu->offset;
        error = etl_record_parse(file->bytes + at, buffer->end - cpu->offset, &cpu->record);
        if (error) {
            if (error == EBADMSG)
                (void)fail(file, EBADMSG, at, "a buffer has an invalid record");
            next_buffer(file, cpu);
            continue;
        }
        cpu->offset += (cpu->record.size + 7) & ~7u;
        cpu->has_record = true;
    }
}

/* Records without a time come at once. */
static bool is_before(const struct etl_cpu *a, const struct etl_cpu *b)
{
    uint64_t time_a = a->record.has_ticks ? a->record.ticks : 0;
    uint64_t time_b = b->record.has_ticks ? b->record.ticks : 0;

    return time_a < time_b;
}

int etl_file_next(struct etl_file *file, const struct etl_record **ret_record, uint32_t *ret_cpu)
{
    struct etl_cpu *first = NULL;

    for (uint32_t i = 0; i < file->cpu_count; i++) {
        struct etl_cpu *cpu = &file->cpus[i];

        if (!cpu->has_record || cpu == file->last)
            advance(file, cpu);
        if (cpu->has_record && (!first || is_before(cpu, first)))
            first = cpu;
    }
    if (!first)
        return ENODATA;
    file->last = first;
    *ret_record = &first->record;
    *ret_cpu = first->number;
    return 0;
}

/* ---- time ---- */

#define FILETIME_OF_1970 116444736000000000ull

uint64_t etl_filetime_to_ns(uint64_t filetime)
{
    if (filetime <= FILETIME_OF_1970)
        return 0;
    filetime -= FILETIME_OF_1970;
    return filetime > UINT64_MAX / 100 ? UINT64_MAX : filetime * 100;
}

static uint64_t ticks_to_ns(const struct etl_file *file, uint64_t ticks)
{
    uint64_t seconds = ticks / file->frequency;
    uint64_t rest = ticks % file->frequency;

    if (seconds > UINT64_MAX / 2000000000u)
        return UINT64_MAX;
    return seconds * 1000000000u + rest * 1000000000u / file->frequency;
}

uint64_t etl_file_time_ns(const struct etl_file *file, uint64_t ticks)
{
    return file->clock == CLOCK_SYSTEM ? etl_filetime_to_ns(ticks) : ticks_to_ns(file, ticks);
}

uint64_t etl_file_wall_ns(const struct etl_file *file, uint64_t ticks)
{
    uint64_t start = etl_filetime_to_ns(file->start_filetime);

    if (file->clock == CLOCK_SYSTEM)
        return etl_filetime_to_ns(ticks);
    if (ticks >= file->start_ticks)
        return start + ticks_to_ns(file, ticks - file->start_ticks);
    return start - ticks_to_ns(file, file->start_ticks - ticks);
}
