/* SPDX-License-Identifier: MIT */
/* The list of derived tables. */
#include "query/derived.h"

#define NAME(name)    #name,
#define ADDRESS(name) &query_derived_##name,

static const char *const names[] = {QUERY_DERIVED_TABLES(NAME)};
static const struct query_derived *const all[] = {QUERY_DERIVED_TABLES(ADDRESS)};

struct query_table query_derived_table(struct cairn_query *query, size_t number)
{
    const struct query_derived *derived = all[number];
    uint64_t rows = query->catalog.total / derived->events_of_row;

    return (struct query_table){
        .name = names[number],
        .kind = derived->kind,
        .query = query,
        .columns = derived->columns,
        .column_count = derived->column_count,
        .rows = rows ? rows : 1,
        .context = derived->context,
    };
}
