/* SPDX-License-Identifier: MIT */
/* The key of an event, as text: events with one key are counted together. */
#ifndef STATS_KEY_H
#define STATS_KEY_H

#include "stats/fields.h"

#include <cairn/stats.h>

/* Adds the key to a text; nothing if the event has none. `field`: with CAIRN_STATS_BY_FIELD. False:
 * the event lacks the field. */
bool stats_key_put(enum cairn_stats_key key, struct stats_field *field,
                   const struct cairn_event *event, struct export_print_output *text);

/* The same of lost events. */
void stats_key_put_loss(enum cairn_stats_key key, const struct cairn_stats_loss *loss,
                        struct export_print_output *text);

#endif
