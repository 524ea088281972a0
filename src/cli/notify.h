/* SPDX-License-Identifier: MIT */
/* The service manager's protocol of readiness, sd_notify(3). */
#ifndef CLI_NOTIFY_H
#define CLI_NOTIFY_H

/* Sends a state, as "READY=1", to $NOTIFY_SOCKET, if there is one. */
void cli_notify(const char *state);

#endif
