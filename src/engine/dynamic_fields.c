/* SPDX-License-Identifier: MIT */
/* Checks of the dynamic fields of a payload. */
#include "engine/dynamic_fields.h"
#include "core/atomic.h"
#include "engine/command_words.h"

#include <errno.h>
#include <string.h>

/* A dynamic field in a word: where its u32 is in the payload, and two bits. */
#define IS_RELATIVE  1u
#define IS_TEXT      2u
#define OFFSET_SHIFT 2

#define NOTES_MAX (sizeof(((struct cairn_tracepoint *)0)->dynamic) / sizeof(uint32_t))

/* Recognizes text as the kernel does: the type contains "char". */
static bool is_text(const struct cairn_field *field)
{
    return memmem(field->type.text, field->type.length, "char", 4) != NULL;
}

static uint32_t note_of(const struct cairn_field *field)
{
    return (field->offset - CAIRN_COMMON_BYTES) << OFFSET_SHIFT | (is_text(field) ? IS_TEXT : 0) |
           (field->location == CAIRN_FIELD_REL_LOC ? IS_RELATIVE : 0);
}

void engine_dynamic_fields_note(struct cairn_tracepoint *tp, const struct cairn_schema *schema)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < schema->field_count; i++) {
        if (schema->fields[i].location == CAIRN_FIELD_INLINE)
            continue;
        if (count < NOTES_MAX)
            core_store_relaxed(&tp->dynamic[count], note_of(&schema->fields[i]));
        count++;
    }
    core_store_relaxed(&tp->dynamic_count, count);
}

/* Copies bytes of the payload, which may be in several parts. The payload is long enough. */
static void copy_out(const struct iovec *parts, int count, uint32_t at, void *to, uint32_t bytes)
{
    uint8_t *out = to;

    for (int i = 0; i < count && bytes; i++) {
        size_t length = parts[i].iov_len;
        uint32_t piece;

        if (at >= length) {
            at -= (uint32_t)length;
            continue;
        }
        piece = length - at < bytes ? (uint32_t)(length - at) : bytes;
        memcpy(out, (const uint8_t *)parts[i].iov_base + at, piece);
        out += piece;
        bytes -= piece;
        at = 0;
    }
}

struct dynamic_payload {
    const struct iovec *parts;
    int count;
    uint32_t bytes;
};

/* Offsets of dynamic fields count from the record's start, where the common fields are. */
static int check(const struct dynamic_payload *payload, uint32_t note)
{
    uint32_t offset = note >> OFFSET_SHIFT;
    uint32_t location = 0;
    uint32_t begin, end;
    char last = 0;

    copy_out(payload->parts, payload->count, offset, &location, sizeof(location));
    begin = location & 0xffff;
    if (note & IS_RELATIVE)
        begin += CAIRN_COMMON_BYTES + offset + (uint32_t)sizeof(location);
    end = begin + (location >> 16);
    if (end > CAIRN_COMMON_BYTES + payload->bytes)
        return EFAULT;
    /* An empty payload ends before the field; otherwise the zero of common_pid terminates the text.
     */
    if (!(note & IS_TEXT) || end == 0 || end == CAIRN_COMMON_BYTES)
        return 0;
    if (end < CAIRN_COMMON_BYTES)
        return EFAULT;
    copy_out(payload->parts, payload->count, end - CAIRN_COMMON_BYTES - 1, &last, 1);
    return last ? EFAULT : 0;
}

/* There are more dynamic fields than the tracepoint can store: parse the command again. */
static int check_many(const struct dynamic_payload *payload, const char *command)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char buffer[ENGINE_WORDS_MAX_BYTES];
    struct cairn_schema schema;
    int error = 0;

    if (!command || engine_command_parse_taken(command, buffer, fields, &schema))
        return 0; /* unregistered meanwhile */
    for (uint32_t i = 0; i < schema.field_count && !error; i++) {
        if (fields[i].location != CAIRN_FIELD_INLINE)
            error = check(payload, note_of(&fields[i]));
    }
    return error;
}

int engine_dynamic_fields_check(const struct cairn_tracepoint *tp, const struct iovec *parts,
                                int count, uint32_t payload_bytes)
{
    uint32_t fields = core_load_relaxed(&tp->dynamic_count);
    const struct dynamic_payload payload = {parts, count, payload_bytes};
    int error = 0;

    if (cairn_unlikely(fields > NOTES_MAX))
        return check_many(&payload, core_load_relaxed(&tp->command));
    for (uint32_t i = 0; i < fields && !error; i++)
        error = check(&payload, core_load_relaxed(&tp->dynamic[i]));
    return error;
}
