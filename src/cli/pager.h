/* SPDX-License-Identifier: MIT */
/* Output on a terminal: through a pager, in colours. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

struct cli_pager {
    int fd; /* its input; -1: there is none */
    pid_t pid;
};

/* True if output to the descriptor may have colours: NO_COLOR, TERM, and a terminal or our pager.
 */
bool cli_wants_color(int fd);

/* Starts $CAIRN_PAGER, $PAGER or less if standard output is a terminal, and sets *fd to its input.
 * An empty variable, or cat, means none. */
void cli_pager_begin(struct cli_pager *pager, int *fd);

/* Waits until the pager has ended. */
void cli_pager_end(struct cli_pager *pager);

#endif
