/* SPDX-License-Identifier: MIT */
/*
 * Querying: SQL over recordings, which are read where they are. SQLite executes it; the tables are
 * virtual: nothing is imported. docs/query.md describes them.
 *
 *   cairn_query_open      any recordings that cairn_reader_open reads, merged
 *   cairn_query_run       runs SQL, and passes each row to a function
 *   cairn_query_error     what was wrong
 *   cairn_query_tables    the tables: those of each recording, and one for each event
 *   cairn_query_file      what could not be read
 *   cairn_query_database  SQLite's handle
 *   cairn_query_example   questions that people ask
 *
 * The functions are in libcairn-query.a, which needs libcairn-collect, libcairn and sqlite3.
 *
 * A query is used by one thread at a time, except cairn_query_interrupt.
 */
#ifndef CAIRN_QUERY_H
#define CAIRN_QUERY_H

#include <cairn/api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3;
struct cairn_query;

/* ---- Opening and closing ---- */

/*
 * Begins with CAIRN_QUERY_OPTIONS_INIT, or with zeros and a size. Everything is copied. Members are
 * added at the end; zero is then the behaviour before.
 */
struct cairn_query_options {
    size_t size;              /* of this struct, as the caller was compiled */
    const char *const *paths; /* of recordings; "-": standard input, of which a copy is made in a
                                 temporary file that has no name */
    size_t path_count;
    uint32_t
        threads; /* that read and decode events, for one that runs SQLite; 0, 1: it does both */
};

#define CAIRN_QUERY_OPTIONS_INIT                        \
    {                                                   \
        sizeof(struct cairn_query_options), NULL, 0, 0, \
    }

/* An error, as SQLite says it, or of a file. */
struct cairn_query_error {
    int code;         /* an errno code; 0: nothing */
    char text[512];   /* as SQLite says it, or with the path of a file */
    bool is_of_sql;   /* the following is set: */
    size_t statement; /* where the statement begins in the SQL, in bytes */
    size_t position;  /* where the error is in the SQL; SIZE_MAX: unknown */
};

/*
 * Opens recordings. Finds the events that they have: by the index of a trace file, otherwise by
 * reading once.
 *
 * ret_error  set on failure; may be NULL
 * ret_query  closed by the caller
 *
 * Returns 0; EOPNOTSUPP this build has no SQLite; EINVAL no path, or options of a wrong size; E2BIG
 * options that this version lacks are set; ENOMEM; or as cairn_reader_open.
 */
CAIRN_API int cairn_query_open(const struct cairn_query_options *options,
                               struct cairn_query_error *ret_error, struct cairn_query **ret_query);

/* Accepts NULL. */
CAIRN_API void cairn_query_close(struct cairn_query *query);

/* ---- Running ---- */

enum cairn_query_kind {
    CAIRN_QUERY_NULL = 0,
    CAIRN_QUERY_INTEGER = 1,
    CAIRN_QUERY_REAL = 2,
    CAIRN_QUERY_TEXT = 3, /* UTF-8 */
    CAIRN_QUERY_BLOB = 4,
};

struct cairn_query_value {
    enum cairn_query_kind kind;
    int64_t integer;
    double real;
    const char *text; /* or the bytes of a blob; a NUL follows text */
    size_t size_bytes;
};

/* A row of a result. It may grow at the end. */
struct cairn_query_row {
    const char *const *names;               /* of the columns */
    const struct cairn_query_value *values; /* NULL: the result begins, before its first row */
    size_t count;                           /* of columns */
};

/* Receives a row, valid during the call. Returns 0; another result ends the query. */
typedef int cairn_query_row_fn(void *context, const struct cairn_query_row *row);

/*
 * Runs one or more statements.
 *
 * row  receives the columns of each result, and its rows; may be NULL
 *
 * Returns 0, also if a recording could be read in part only (cairn_query_file); EINVAL the SQL is
 * wrong, or failed: cairn_query_error says why; ECANCELED it was interrupted; ENOMEM; or what `row`
 * returned.
 */
CAIRN_API int cairn_query_run(struct cairn_query *query, const char *sql, cairn_query_row_fn *row,
                              void *context);

/* Returns the error of the last run: the query's own, until the next one. */
CAIRN_API const struct cairn_query_error *cairn_query_error(const struct cairn_query *query);

/* Ends what cairn_query_run does in another thread, or in the one that a signal interrupted: it may
 * be called in a signal handler. */
CAIRN_API void cairn_query_interrupt(struct cairn_query *query);

/* ---- What there is ---- */

struct cairn_query_table {
    const char *name;   /* "events", "Provider:Event" */
    const char *schema; /* "CREATE TABLE ..." */
    uint64_t events;    /* of a table of one event: how many there are */
    bool is_event;
};

/* Lists the tables: first those that every recording has. The query's own. Returns 0; ENOMEM. */
CAIRN_API int cairn_query_tables(struct cairn_query *query,
                                 const struct cairn_query_table **ret_tables, size_t *ret_count);

/* The losses, the damage and the error that reading a recording showed, so far. */
struct cairn_query_file {
    const char *path;
    uint64_t damaged;    /* events, of which a part could not be read */
    uint64_t unreadable; /* events that were left out */
    uint64_t lost;       /* events, as the recording says */
    int code;            /* why it could not be read to its end; 0: it could */
    uint64_t offset;     /* of that in the file, or CAIRN_PERF_ERROR_NO_OFFSET */
    const char *text;    /* what was wrong there, or NULL */
};

/* The number of recordings, and one of them: the query's own, valid until close; the next run
 * updates it. */
CAIRN_API size_t cairn_query_file_count(const struct cairn_query *query);
CAIRN_API const struct cairn_query_file *cairn_query_file(const struct cairn_query *query,
                                                          size_t index);

/* Returns the connection: for functions and tables of one's own. NULL: this build has no SQLite. */
CAIRN_API struct sqlite3 *cairn_query_database(struct cairn_query *query);

/* A question that people ask, and the SQL that answers it. */
struct cairn_query_example {
    const char *question;
    const char *sql;
};

/* The number of examples, and one of them: a constant. */
CAIRN_API size_t cairn_query_example_count(void);
CAIRN_API const struct cairn_query_example *cairn_query_example(size_t index);

#ifdef __cplusplus
}
#endif

#endif
