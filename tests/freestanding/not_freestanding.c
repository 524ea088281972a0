/* SPDX-License-Identifier: MIT */
/* Needs a C library, and keeps a count: check.py must say so. */
int puts(const char *line);
void count_and_say(const char *line);

static int calls;

void count_and_say(const char *line)
{
    calls++;
    puts(line);
}
