/* SPDX-License-Identifier: MIT */
/* A terminal, by the control sequences that all of them have (ECMA-48). */
#include "cli/top_screen.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CONTROL "\033["

static bool is_dumb(void)
{
    const char *terminal = getenv("TERM");

    return !terminal || !*terminal || !strcmp(terminal, "dumb");
}

/* Keys come at once, and are not shown. Ctrl-C is a signal as before; Ctrl-Z would leave the
 * terminal as it is now. */
static void take_keys(struct cli_screen *s)
{
    struct termios raw;

    if (tcgetattr(STDIN_FILENO, &s->before))
        return;
    raw = s->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE;
    /* A process in the background would be stopped. */
    s->has_keys = tcgetpgrp(STDIN_FILENO) == getpgrp() && !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void cli_screen_begin(struct cli_screen *s, bool is_plain)
{
    *s = (struct cli_screen){.is_terminal = !is_plain && isatty(STDOUT_FILENO) && !is_dumb()};
    if (!s->is_terminal)
        return;
    take_keys(s);
    fputs(CONTROL "?1049h" CONTROL "?25l", stdout); /* another screen, without the cursor */
    fflush(stdout);
}

void cli_screen_end(struct cli_screen *s)
{
    if (s->is_terminal) {
        fputs(CONTROL "?25h" CONTROL "?1049l", stdout);
        fflush(stdout);
    }
    if (s->has_keys)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
    *s = (struct cli_screen){.is_terminal = false};
}

void cli_screen_clear(struct cli_screen *s)
{
    struct winsize size = {0};

    s->row = 0;
    s->rows = 24;
    s->columns = 80;
    if (!s->is_terminal)
        return;
    if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col) {
        s->rows = size.ws_row;
        s->columns = size.ws_col;
    }
    fputs(CONTROL "H", stdout);
}

uint32_t cli_screen_left(const struct cli_screen *s)
{
    if (!s->is_terminal)
        return UINT32_MAX;
    return s->rows > s->row ? s->rows - s->row : 0;
}

/* The length of the character at text, in UTF-8; 0: it is none that can be printed. */
static size_t character_at(const unsigned char *text)
{
    size_t length = *text < 0x80 ? 1 : *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2;

    if (*text < ' ' || *text == 0x7f || (*text >= 0x80 && *text < 0xc2) || *text > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    /* C1 controls, and what is no character. */
    if ((*text == 0xc2 && text[1] < 0xa0) || (*text == 0xe0 && text[1] < 0xa0) ||
        (*text == 0xed && text[1] > 0x9f) || (*text == 0xf0 && text[1] < 0x90) ||
        (*text == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

static void print_cut(const char *text, uint32_t columns)
{
    const unsigned char *at = (const unsigned char *)text;

    for (uint32_t column = 0; *at && column < columns; column++) {
        size_t length = character_at(at);

        if (length)
            (void)fwrite(at, 1, length, stdout);
        else
            putchar('?');
        at += length ? length : 1;
    }
}

void cli_screen_line(struct cli_screen *s, const char *text)
{
    if (!s->is_terminal) {
        print_cut(text, UINT32_MAX);
        putchar('\n');
        return;
    }
    if (s->row >= s->rows)
        return;
    /* The last line has no end: the terminal would scroll. */
    if (s->row++)
        fputs("\r\n", stdout);
    print_cut(text, s->columns);
    fputs(CONTROL "K", stdout);
}

bool cli_screen_show(struct cli_screen *s)
{
    if (s->is_terminal)
        fputs(CONTROL "J", stdout);
    return !fflush(stdout) && !ferror(stdout);
}

int cli_screen_key(const struct cli_screen *s)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char key;

    if (!s->has_keys || poll(&input, 1, 0) <= 0 || read(STDIN_FILENO, &key, 1) != 1)
        return 0;
    return key;
}
