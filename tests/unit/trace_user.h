/* SPDX-License-Identifier: MIT */
/* A header with typed tracepoints that several sources of test_user_events_trace include. */
#ifndef TESTS_TRACE_USER_H
#define TESTS_TRACE_USER_H

#include <cairn/typed_tracepoint.h>

/* clang-format off */
CAIRN_TRACEPOINT(opened, TP_SYSTEM(unit),
    TP_PROTO(uint16_t port, const char *peer),
    TP_ARGS(port, peer),
    TP_STRUCT__entry(__field(uint16_t, port) __field(int64_t, wide) __string(peer, peer)),
    TP_fast_assign(__entry->port = port; __entry->wide = -(int64_t)port; __assign_str(peer);),
    TP_printk("port=%u peer=%s", __entry->port, __get_str(peer)));
/* clang-format on */

/* Defined in another source. */
void open_elsewhere(uint16_t port);

#endif
