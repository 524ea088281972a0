/* SPDX-License-Identifier: MIT */
/* The public interface of a build without SQLite. */
#include <cairn/query.h>

#include <errno.h>
#include <stdio.h>

int cairn_query_open(const struct cairn_query_options *options, struct cairn_query_error *ret_error,
                     struct cairn_query **ret_query)
{
    (void)options;
    (void)ret_query;
    if (ret_error) {
        *ret_error = (struct cairn_query_error){.code = EOPNOTSUPP};
        (void)snprintf(ret_error->text, sizeof(ret_error->text),
                       "this build has no SQLite (libsqlite3-dev was not there)");
    }
    return EOPNOTSUPP;
}

void cairn_query_close(struct cairn_query *query)
{
    (void)query;
}

int cairn_query_run(struct cairn_query *query, const char *sql, cairn_query_row_fn *row,
                    void *context)
{
    (void)query;
    (void)sql;
    (void)row;
    (void)context;
    return EOPNOTSUPP;
}

const struct cairn_query_error *cairn_query_error(const struct cairn_query *query)
{
    static const struct cairn_query_error none = {.code = EOPNOTSUPP};

    (void)query;
    return &none;
}

void cairn_query_interrupt(struct cairn_query *query)
{
    (void)query;
}

int cairn_query_tables(struct cairn_query *query, const struct cairn_query_table **ret_tables,
                       size_t *ret_count)
{
    (void)query;
    (void)ret_tables;
    (void)ret_count;
    return EOPNOTSUPP;
}

size_t cairn_query_file_count(const struct cairn_query *query)
{
    (void)query;
    return 0;
}

const struct cairn_query_file *cairn_query_file(const struct cairn_query *query, size_t index)
{
    (void)query;
    (void)index;
    return NULL;
}

struct sqlite3 *cairn_query_database(struct cairn_query *query)
{
    (void)query;
    return NULL;
}
