/* SPDX-License-Identifier: MIT */
/* The events of CTF traces, in the order of time, by a graph of libbabeltrace2. */
#ifndef CTF_MESSAGES_H
#define CTF_MESSAGES_H

#include "ctf/library.h"
#include "ctf/paths.h"

#include <stdbool.h>
#include <stdint.h>

#define CTF_ERROR_BYTES 512u

struct ctf_messages {
    const struct ctf_library *bt;
    bt_graph *graph;
    const bt_plugin *ctf;   /* which has the source */
    const bt_plugin *utils; /* which has the muxer */

    /* The batch that the graph passed on. */
    bt_message_array_const messages;
    uint64_t count;
    uint64_t next;
    const bt_message *event; /* the last one that was returned */

    bool has_failed;       /* streams after it are read */
    uint64_t lost;         /* events; one for each gap whose size is unknown */
    uint64_t lost_packets; /* the same, each with an unknown number of events */
    char error_text[CTF_ERROR_BYTES];
};

/*
 * Opens traces. The messages are zeros before.
 *
 * Returns 0; EOPNOTSUPP the library or one of its plugins is not installed; EBADMSG; ENOMEM. On
 * failure error_text has the reason, or is "". Closed by the caller, also on failure.
 */
int ctf_messages_open(struct ctf_messages *messages, const struct ctf_paths *paths);
void ctf_messages_close(struct ctf_messages *messages);

/*
 * The next event.
 *
 * ret_event  valid until the next call
 *
 * Returns 0; ENODATA; or as ctf_messages_open.
 */
int ctf_messages_next(struct ctf_messages *messages, const bt_message **ret_event);

#endif
