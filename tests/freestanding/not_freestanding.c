/* SPDX-License-Identifier: MIT */
/*
 * Needs a C library, and keeps counts: check.py must say so. Uses vector registers:
 * check_kernel_code.py must.
 */
int puts(const char *line);
void count_and_say(const char *line);
double half(double whole);

static int calls;
__attribute__((weak, visibility("hidden"))) int weak_calls;

void count_and_say(const char *line)
{
    calls++;
    weak_calls++;
    puts(line);
}

double half(double whole)
{
    return whole / 2;
}
