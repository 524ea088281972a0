/* SPDX-License-Identifier: MIT */
/* Examines the operations of a statement. */
#include "query/program.h"

#include <string.h>

bool query_program_is_one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t n = 0; word && n < count; n++) {
        if (!strcmp(word, list[n]))
            return true;
    }
    return false;
}

/* The parts of a program that were found so far. */
struct program {
    unsigned opens;
    unsigned loops;
    bool is_in_loop;
    bool is_wrong;
};

static void examine(struct program *program, const struct query_operation *operation,
                    bool (*is_right)(void *context, const struct query_operation *operation),
                    void *context)
{
    const char *opcode = operation->opcode;

    if (program->is_in_loop ? !is_right(context, operation) : !strcmp(opcode, "AggStep"))
        program->is_wrong = true;
    if (!strcmp(opcode, "VOpen"))
        program->opens++;
    if (!strcmp(opcode, "VFilter")) {
        program->loops++;
        program->is_in_loop = true;
    }
    if (!strcmp(opcode, "VNext"))
        program->is_in_loop = false;
}

bool query_program_is_loop(sqlite3 *db, sqlite3_stmt *statement,
                           bool (*is_right)(void *context, const struct query_operation *operation),
                           void *context)
{
    char *sql = sqlite3_mprintf("EXPLAIN %s", sqlite3_sql(statement));
    struct program program = {0};
    sqlite3_stmt *lines = NULL;
    int code = sql ? sqlite3_prepare_v2(db, sql, -1, &lines, NULL) : SQLITE_NOMEM;

    while (!code && (code = sqlite3_step(lines)) == SQLITE_ROW) {
        struct query_operation one = {
            .opcode = (const char *)sqlite3_column_text(lines, 1),
            .p2 = sqlite3_column_int(lines, 3),
            .p3 = sqlite3_column_int(lines, 4),
            .p4 = (const char *)sqlite3_column_text(lines, 5),
        };

        code = SQLITE_OK;
        if (one.opcode)
            examine(&program, &one, is_right, context);
    }
    (void)sqlite3_finalize(lines);
    sqlite3_free(sql);
    return code == SQLITE_DONE && !program.is_wrong && program.opens == 1 && program.loops == 1;
}
