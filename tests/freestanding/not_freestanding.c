/* SPDX-License-Identifier: MIT */
/*
 * Code that is not freestanding: it calls the C library and has writable data, which check.py must
 * report, and it uses vector registers, which check_kernel_code.py must report.
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
