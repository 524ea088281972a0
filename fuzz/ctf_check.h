/* SPDX-License-Identifier: MIT */
/* A check of an event of CTF that was converted: the decoder reads it to its end. */
#ifndef FUZZ_CTF_CHECK_H
#define FUZZ_CTF_CHECK_H

#include "ctf/event.h"
#include "decode/named.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Gets the last item of an event. */
typedef void ctf_check_last_fn(const struct cairn_event *event, const struct cairn_item *last);

static void ctf_check_items(const struct cairn_event *event, ctf_check_last_fn *check_last)
{
    struct cairn_item item = {0};
    struct cairn_items *items;

    assert(!event->error && !cairn_items_create(&items));
    cairn_items_begin(items, event);
    while (cairn_items_next(items, &item))
        ;
    assert(!cairn_items_error(items));
    if (check_last)
        check_last(event, &item);
    cairn_items_destroy(items);
}

/* In memory of its size: a sanitizer finds reading after its end. */
static void ctf_check_record(const struct ctf_event *from, ctf_check_last_fn *check_last)
{
    uint8_t *record = (uint8_t *)malloc(from->record.size);
    const char *name = (const char *)from->name.data;
    struct decode_named named = {0};
    struct cairn_event event = {0};
    struct cairn_decoder *decoder;
    uint32_t number;

    assert(record && !cairn_decoder_create(&decoder));
    memcpy(record, from->record.data, from->record.size);
    assert(!decode_named_find(&named, decoder, "ctf", name, false, &number));
    assert(!cairn_decoder_event(decoder, number, record, (uint32_t)from->record.size, &event));
    ctf_check_items(&event, check_last);
    decode_named_free(&named);
    cairn_decoder_destroy(decoder);
    free(record);
}

/* Converts an event. check_last  or NULL */
static void ctf_check_convert(struct ctf_event *event, const bt_message *message, bool by_origin,
                              ctf_check_last_fn *check_last)
{
    int err = ctf_event_convert(event, message, by_origin);

    assert(!err || err == E2BIG);
    if (!err)
        ctf_check_record(event, check_last);
}

#endif
