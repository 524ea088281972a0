/* SPDX-License-Identifier: MIT */
/* Events of the facade on Windows. Component etw implements it. */
#ifndef EVENTHEADER_ETW_H
#define EVENTHEADER_ETW_H

#include <cairn/eventheader_dynamic.h>

/* A format of 16 bits: in-type UINT16 and out-type SIGNED, which no word of the vocabulary has. */
#define EVENTHEADER_ETW_FORMAT_SIGNED 0x7e

/* The id of a provider that is not registered yet, in place of that of its name. */
void eventheader_provider_identify(struct cairn_dynamic_provider *provider,
                                   const struct cairn_guid *id);

/* The largest event: its header has 16 bits for its size. What a session adds to each event, such
 * as the stack of the thread, counts too, and is not known: ETW may refuse an event of this size.
 */
#define EVENTHEADER_ETW_MAX_BYTES 0xffffu

/*
 * Computes the size that the builder's event has in ETW, with its header and its metadata.
 *
 * has_related  it will be written with a related id
 *
 * Returns 0; E2BIG it is too large; or the builder's error.
 */
int eventheader_builder_etw_bytes(const struct cairn_builder *builder,
                                  const struct cairn_event_set *set, bool has_related,
                                  uint32_t *ret_bytes);

#endif
