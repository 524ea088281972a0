/* SPDX-License-Identifier: MIT */
/* Parses an EventHeader event's header and extensions. */
#include "trace_file/eventheader.h"

#include "core/cursor.h"

#include <string.h>

#define KNOWN_FLAGS \
    (CAIRN_EVENTHEADER_POINTER64 | CAIRN_EVENTHEADER_LITTLE_ENDIAN | CAIRN_EVENTHEADER_EXTENSION)

/* Takes the header; zeros if it is truncated. */
static struct cairn_eventheader take_header(struct core_cursor *c)
{
    struct cairn_eventheader header = {0};
    const uint8_t *bytes = (const uint8_t *)core_cursor_take(c, sizeof(header));

    if (!bytes)
        return header;
    memcpy(&header, bytes, sizeof(header));
    c->swap = (header.flags & CAIRN_EVENTHEADER_LITTLE_ENDIAN) !=
              (CAIRN_EVENTHEADER_NATIVE_FLAGS & CAIRN_EVENTHEADER_LITTLE_ENDIAN);
    if (header.flags & ~KNOWN_FLAGS)
        core_cursor_fail(c, EBADMSG); /* the layout of the rest of the event is unknown */
    if (c->swap) {
        header.id = __builtin_bswap16(header.id);
        header.tag = __builtin_bswap16(header.tag);
    }
    return header;
}

static void take_activity(struct core_cursor *c, uint16_t size_bytes,
                          struct trace_file_eventheader *parts)
{
    const uint8_t *ids = (const uint8_t *)core_cursor_take(c, size_bytes);

    if (parts->activity_id ||
        (size_bytes != CAIRN_ACTIVITY_ID_BYTES && size_bytes != 2 * CAIRN_ACTIVITY_ID_BYTES)) {
        core_cursor_fail(c, EBADMSG);
        return;
    }
    parts->activity_id = ids;
    if (ids && size_bytes > CAIRN_ACTIVITY_ID_BYTES)
        parts->related_id = ids + CAIRN_ACTIVITY_ID_BYTES;
}

static void take_metadata(struct core_cursor *c, uint16_t size_bytes,
                          struct trace_file_eventheader *parts)
{
    if (parts->metadata)
        core_cursor_fail(c, EBADMSG);
    parts->metadata = (const uint8_t *)core_cursor_take(c, size_bytes);
    parts->metadata_bytes = size_bytes;
}

/* Returns true if another extension follows. */
static bool take_extension(struct core_cursor *c, struct trace_file_eventheader *parts)
{
    const uint8_t *head =
        (const uint8_t *)core_cursor_take(c, sizeof(struct cairn_eventheader_extension));
    uint16_t size_bytes = head ? core_load16(head, c->swap) : 0;
    uint16_t kind = head ? core_load16(head + sizeof(size_bytes), c->swap) : 0;

    switch (kind & CAIRN_EXTENSION_KIND_MASK) {
    case CAIRN_EXTENSION_INVALID:
        core_cursor_fail(c, EBADMSG);
        break;
    case CAIRN_EXTENSION_METADATA:
        take_metadata(c, size_bytes, parts);
        break;
    case CAIRN_EXTENSION_ACTIVITY_ID:
        take_activity(c, size_bytes, parts);
        break;
    default: /* of a later version: skipped */
        core_cursor_take(c, size_bytes);
        break;
    }
    return !c->error && (kind & CAIRN_EXTENSION_CHAIN);
}

/* Parses what most events are: in this machine's order, with metadata and no other extension.
 * Returns false if this is not one, or it is damaged. */
static bool parse_plain(const uint8_t *bytes, size_t size_bytes,
                        struct trace_file_eventheader *ret_parts)
{
    const size_t metadata_at =
        sizeof(struct cairn_eventheader) + sizeof(struct cairn_eventheader_extension);
    struct cairn_eventheader_extension extension;

    if (size_bytes < metadata_at)
        return false;
    memcpy(&ret_parts->header, bytes, sizeof(ret_parts->header));
    memcpy(&extension, bytes + sizeof(ret_parts->header), sizeof(extension));
    if (ret_parts->header.flags != (CAIRN_EVENTHEADER_NATIVE_FLAGS | CAIRN_EVENTHEADER_EXTENSION) ||
        extension.kind != CAIRN_EXTENSION_METADATA ||
        extension.size_bytes > size_bytes - metadata_at)
        return false;
    ret_parts->bytes = bytes;
    ret_parts->metadata = bytes + metadata_at;
    ret_parts->metadata_bytes = extension.size_bytes;
    ret_parts->activity_id = NULL;
    ret_parts->related_id = NULL;
    ret_parts->swap = false;
    ret_parts->data = ret_parts->metadata + extension.size_bytes;
    ret_parts->data_bytes = (uint32_t)(size_bytes - metadata_at - extension.size_bytes);
    return true;
}

int trace_file_eventheader_parse(const void *event, size_t size_bytes,
                                 struct trace_file_eventheader *ret_parts)
{
    struct core_cursor c = core_cursor(event, size_bytes, false);
    bool more;

    if (parse_plain(c.at, size_bytes, ret_parts))
        return 0;
    ret_parts->bytes = c.at;
    ret_parts->metadata = NULL;
    ret_parts->metadata_bytes = 0;
    ret_parts->activity_id = NULL;
    ret_parts->related_id = NULL;
    ret_parts->header = take_header(&c);
    more = ret_parts->header.flags & CAIRN_EVENTHEADER_EXTENSION;
    while (more)
        more = take_extension(&c, ret_parts);
    ret_parts->swap = c.swap;
    ret_parts->data = c.at;
    ret_parts->data_bytes = (uint32_t)c.left;
    return c.error;
}

bool trace_file_eventheader_is_in(const struct cairn_schema *schema)
{
    const struct cairn_slice *first = &schema->fields[schema->common_count].name;

    return schema->field_count > schema->common_count &&
           first->length == strlen(CAIRN_EVENTHEADER_FIRST_FIELD) &&
           !memcmp(first->text, CAIRN_EVENTHEADER_FIRST_FIELD, first->length);
}
