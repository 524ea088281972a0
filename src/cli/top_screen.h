/* SPDX-License-Identifier: MIT */
/* A terminal that a verb fills again and again: its size, its keys, its lines. */
#ifndef CLI_TOP_SCREEN_H
#define CLI_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

struct cli_screen {
    bool is_terminal; /* otherwise lines are printed one below the other */
    struct termios before;
    bool has_keys; /* standard input is a terminal, whose attributes were changed */
    uint32_t rows;
    uint32_t columns;
    uint32_t row; /* of the next line */
};

/* Begins; a terminal that is dumb, or that is none, gets plain lines. */
void cli_screen_begin(struct cli_screen *screen, bool is_plain);

/* Restores the terminal. */
void cli_screen_end(struct cli_screen *screen);

/* Begins a picture, in the size that the terminal has now. */
void cli_screen_clear(struct cli_screen *screen);

/* The number of lines that are left in the picture. */
uint32_t cli_screen_left(const struct cli_screen *screen);

/* Prints a line, cut to the width of a terminal. Bytes that a terminal would not print are '?'. */
void cli_screen_line(struct cli_screen *screen, const char *text);

/* Ends a picture. False: the output cannot be written. */
bool cli_screen_show(struct cli_screen *screen);

/* The key that was pressed; 0: none. */
int cli_screen_key(const struct cli_screen *screen);

#endif
