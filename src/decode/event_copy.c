/* SPDX-License-Identifier: MIT */
/* Copies events and decodes them again: layouts may be released meanwhile, bytes are not. */
#include "decode/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cairn_event_copy {
    struct cairn_reader *reader; /* the reader of the event; NULL: nothing was copied */
    size_t source;               /* as cairn_reader_source */
    struct cairn_event event;    /* its pointers are invalid until it is restored */
    uint8_t *bytes;              /* its raw part, then its thread's name, owned */
    size_t capacity;
    bool has_raw;
    bool has_comm;
    struct decode_stack stack;  /* of frames, if the event has one */
    struct cairn_frame *frames; /* owned */
    uint32_t frame_capacity;
};

int cairn_event_copy_create(struct cairn_event_copy **ret_copy)
{
    struct cairn_event_copy *copy = (struct cairn_event_copy *)calloc(1, sizeof(*copy));

    if (!copy)
        return ENOMEM;
    *ret_copy = copy;
    return 0;
}

void cairn_event_copy_destroy(struct cairn_event_copy *copy)
{
    if (!copy)
        return;
    free(copy->bytes);
    free(copy->frames);
    free(copy);
}

static int reserve(struct cairn_event_copy *copy, size_t size_bytes)
{
    uint8_t *bytes;

    if (size_bytes <= copy->capacity)
        return 0;
    bytes = (uint8_t *)realloc(copy->bytes, size_bytes);
    if (!bytes)
        return ENOMEM;
    copy->bytes = bytes;
    copy->capacity = size_bytes;
    return 0;
}

static int copy_stack(struct cairn_event_copy *copy, const struct cairn_event *event)
{
    uint32_t count = cairn_event_frame_count(event);

    copy->event.stack = NULL;
    if (!count)
        return 0;
    if (count > copy->frame_capacity) {
        void *bigger = realloc(copy->frames, count * sizeof(*copy->frames));

        if (!bigger)
            return ENOMEM;
        copy->frames = (struct cairn_frame *)bigger;
        copy->frame_capacity = count;
    }
    decode_stack_frames(event, copy->frames);
    copy->stack = (struct decode_stack){.frames = copy->frames, .count = count};
    copy->event.stack = &copy->stack;
    return 0;
}

int cairn_event_copy_set(struct cairn_event_copy *copy, struct cairn_reader *reader,
                         const struct cairn_event *event)
{
    struct cairn_reader *origin = decode_reader_of_event(reader);
    size_t comm_bytes = event->comm ? strlen(event->comm) + 1 : 0;
    int err;

    if (!event->raw && origin->records.without_raw)
        return EINVAL;
    err = reserve(copy, event->raw_bytes + comm_bytes);
    if (err)
        return err;
    copy->reader = origin;
    copy->source = cairn_reader_source(reader);
    copy->event = *event;
    copy->has_raw = event->raw != NULL;
    copy->has_comm = event->comm != NULL;
    if (event->raw && event->raw_bytes)
        memcpy(copy->bytes, event->raw, event->raw_bytes);
    if (comm_bytes)
        memcpy(copy->bytes + event->raw_bytes, event->comm, comm_bytes);
    return copy_stack(copy, event);
}

int cairn_event_copy_restore(struct cairn_event_copy *copy, const struct cairn_event **ret_event,
                             size_t *ret_source)
{
    struct cairn_event *event = &copy->event;
    int err;

    if (!copy->reader)
        return ENODATA;
    err = cairn_decoder_event(copy->reader->decoder, event->tracepoint->number,
                              copy->has_raw ? copy->bytes : NULL, event->raw_bytes, event);
    if (err)
        return err;
    event->comm = copy->has_comm ? (const char *)copy->bytes + event->raw_bytes : NULL;
    *ret_event = event;
    if (ret_source)
        *ret_source = copy->source;
    return 0;
}
