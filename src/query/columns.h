/* SPDX-License-Identifier: MIT */
/* The columns that tables of events have in common: the parts of an event that are not its fields.
 */
#ifndef QUERY_COLUMNS_H
#define QUERY_COLUMNS_H

/*
 * The table: COLUMN(NAME, name, type, is_pushed). The numbers of enum query_event_column are their
 * order, which is that of the table `events`.
 */
#define QUERY_EVENT_COLUMNS(COLUMN)                    \
    COLUMN(TIME_NS, time_ns, INTEGER, true)            \
    COLUMN(WALL, wall, TEXT, false)                    \
    COLUMN(PROVIDER, provider, TEXT, true)             \
    COLUMN(EVENT, event, TEXT, true)                   \
    COLUMN(LEVEL, level, TEXT, false)                  \
    COLUMN(LEVEL_NUMBER, level_number, INTEGER, false) \
    COLUMN(KEYWORD, keyword, INTEGER, false)           \
    COLUMN(OPCODE, opcode, TEXT, false)                \
    COLUMN(CPU, cpu, INTEGER, true)                    \
    COLUMN(PID, pid, INTEGER, true)                    \
    COLUMN(TID, tid, INTEGER, true)                    \
    COLUMN(COMM, comm, TEXT, false)                    \
    COLUMN(ACTIVITY, activity, TEXT, true)             \
    COLUMN(RELATED, related, TEXT, false)              \
    COLUMN(TRACE_ID, trace_id, TEXT, false)            \
    COLUMN(SPAN_ID, span_id, TEXT, false)              \
    COLUMN(TAG, tag, INTEGER, false)                   \
    COLUMN(FILE, file, TEXT, false)                    \
    COLUMN(LINE, line, INTEGER, false)                 \
    COLUMN(FUNCTION, function, TEXT, false)            \
    COLUMN(RECORDING, recording, TEXT, false)          \
    COLUMN(ERROR, error, TEXT, false)                  \
    COLUMN(FIELDS, fields, TEXT, false)

#define QUERY_COLUMN_NUMBER(NAME, name, type, is_pushed) QUERY_EVENT_##NAME,

enum query_event_column { QUERY_EVENT_COLUMNS(QUERY_COLUMN_NUMBER) QUERY_EVENT_COLUMN_COUNT };

#endif
