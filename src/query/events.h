/* SPDX-License-Identifier: MIT */
/* The tables of events: `events`, and one for each name. */
#ifndef QUERY_EVENTS_H
#define QUERY_EVENTS_H

#include "query/table.h"

/* Makes the table of all events, or of one name. Destroyed by query_event_table_destroy. Returns 0,
 * ENOMEM. */
int query_event_table_create(struct cairn_query *query, const struct query_event *event,
                             struct query_table **ret_table);

/* Accepts NULL. */
void query_event_table_destroy(struct query_table *table);

#endif
