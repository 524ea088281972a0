/* SPDX-License-Identifier: MIT */
/* The code that a disabled tracepoint adds to a function, for check_tracepoint.py's disassembly. */
#include <cairn/typed_tracepoint.h>

CAIRN_TRACEPOINT(site, TP_SYSTEM(compile), TP_PROTO(uint32_t a, const char *b), TP_ARGS(a, b),
                 TP_STRUCT__entry(__field(uint32_t, a) __string(b, b)),
                 TP_fast_assign(__entry->a = a; __assign_str(b);),
                 TP_printk("%u %s", __entry->a, __get_str(b)));

void site_plain(uint32_t a, const char *b);
void site_traced(uint32_t a, const char *b);

void site_plain(uint32_t a, const char *b)
{
    (void)a, (void)b;
}

void site_traced(uint32_t a, const char *b)
{
    trace_site(a, b);
}
