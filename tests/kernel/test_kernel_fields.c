/* SPDX-License-Identifier: MIT */
/*
 * Test of events with a field of every type, written with cairn's public interface and by a typed
 * tracepoint, in the tools of Linux: ftrace's text, perf, trace-cmd, filters and histograms.
 *
 * The expected texts are the values that every_field.c writes, as each tool prints them. ftrace
 * prints most numbers in hexadecimal and again as signed; libtraceevent, which perf and trace-cmd
 * use, treats s8 and s16 as unsigned, and prints dynamic arrays of numbers only if raw values are
 * requested.
 */
#include "every_field.h"
#include "guest.h"

#include <stdlib.h>
#include <string.h>

#define EVENT_DIRECTORY TRACING "/events/user_events/cairn_every"

/* Both events exist while COMMAND runs. */
#define REGISTER \
    CAIRN_PROGRAM " register -q -b kernel '" EVERY_FIELD_COMMAND "' '" EVERY_TYPED_COMMAND "' -- "

#define BOTH_EVENTS "-e user_events:cairn_every -e user_events:cairn_typed"

/* Checks that the texts are contained in this order; NULL ends the list. */
static void check_texts(const char *all, const char *const *texts)
{
    const char *from = all;

    for (; *texts; texts++) {
        from = strstr(from, *texts);
        if (!from)
            fail_msg("missing: %s\nin: %s", *texts, all);
    }
}

static void ftrace_prints_every_field(void **state)
{
    static const char *const texts[] = {
        ": cairn_every: a=(1) b=(128) c=0x2 (2) d=0x8000 (32768) e=0x3 (3) "
        "f=0x80000000 (-2147483648) g=0x4 (4) h=0x8000000000000000 (-9223372036854775808) "
        "i=0xffffffff (-1) j=0x5 (5) k=0xfffe (65534) l=0x6 (6) m=(7) n='x'(120) o=fixed p=\b\t\n"
        " q=0xfffffff40000000b (-51539607541) r=data s=rel t=0d,00,ff,ff\n",
        ": cairn_every: a='\xff'(255) b=(127) c=0xffff (65535) d=0x7fff (32767) "
        "e=0xffffffff (-1) f=0x7fffffff (2147483647) g=0xffffffffffffffff (-1) "
        "h=0x7fffffffffffffff (9223372036854775807) i=0x7fffffff (2147483647) j=0xffffffff (-1) "
        "k=0x7fff (32767) l=0xffff (65535) m='\xff'(255) n='~'(126) o=FIXED p=\xfe\xff "
        "q=0x40000000ffffffff (4611686022722355199) r=data s=rel t=0d,00,ff,ff\n",
        ": cairn_typed: a=(1) b=(128) c=0x2 (2) d=0x8000 (32768) e=0x3 (3) "
        "f=0x80000000 (-2147483648) g=0x4 (4) h=0x8000000000000000 (-9223372036854775808) "
        "o=fixed p=\b\t\n r=data s=rel t=0d,00,ff,ff\n",
        ": cairn_typed: a='\xff'(255) b=(127) c=0xffff (65535) d=0x7fff (32767) "
        "e=0xffffffff (-1) f=0x7fffffff (2147483647) g=0xffffffffffffffff (-1) "
        "h=0x7fffffffffffffff (9223372036854775807) o=FIXED p=\xfe\xff r=data s=rel "
        "t=0d,00,ff,ff\n",
        NULL,
    };

    (void)state;
    check_texts(every_field_output_of(
                    REGISTER "sh -c 'cd " TRACING "/events/user_events; echo >" TRACING "/trace; "
                             "echo 1 >cairn_every/enable; echo 1 >cairn_typed/enable; "
                             "%s; echo 0 >cairn_every/enable; "
                             "echo 0 >cairn_typed/enable; cat " TRACING "/trace'"),
                texts);
}

static void perf_records_every_field(void **state)
{
    static const char *const of_perf[] = {
        "user_events:cairn_every: a=1 b=128 c=2 d=32768 e=3 f=-2147483648 g=4 "
        "h=-9223372036854775808 i=-1 j=5 k=65534 l=6 m=7 n=120 o=fixed p=\b\t\n "
        "q=18446744022169944075 r=data s=rel t=",
        "user_events:cairn_every: a=255 b=127 c=65535 d=32767 e=4294967295 f=2147483647 "
        "g=18446744073709551615 h=9223372036854775807 i=2147483647 j=4294967295 k=32767 l=65535 "
        "m=255 n=126 o=FIXED p=\xfe\xff q=4611686022722355199 r=data s=rel t=",
        "user_events:cairn_typed: a=1 b=128 c=2 d=32768 e=3 f=-2147483648 g=4 "
        "h=-9223372036854775808 o=fixed p=\b\t\n r=data s=rel t=",
        "user_events:cairn_typed: a=255 b=127 c=65535 d=32767 e=4294967295 f=2147483647 "
        "g=18446744073709551615 h=9223372036854775807 o=FIXED p=\xfe\xff r=data s=rel t=",
        NULL,
    };
    static const char *const of_cairn[] = {
        " cairn_every: a=1 b=-128 c=2 d=-32768 e=3 f=-2147483648 g=4 h=-9223372036854775808 i=-1 "
        "j=5 k=-2 l=6 m=7 n=120 o=fixed p=[8,9,10] q=0b 00 00 00 f4 ff ff ff r=data s=rel "
        "t=[13,65535]\n",
        " cairn_every: a=255 b=127 c=65535 d=32767 e=4294967295 f=2147483647 "
        "g=0xFFFFFFFFFFFFFFFF h=9223372036854775807 i=2147483647 j=4294967295 k=32767 l=65535 "
        "m=255 n=126 o=FIXED p=[254,255,0] q=ff ff ff ff 00 00 00 40 r=data s=rel t=[13,65535]\n",
        " cairn_typed: a=1 b=-128 c=2 d=-32768 e=3 f=-2147483648 g=4 h=-9223372036854775808 "
        "o=fixed p=[8,9,10] r=data s=rel t=[13,65535]\n",
        " cairn_typed: a=255 b=127 c=65535 d=32767 e=4294967295 f=2147483647 "
        "g=0xFFFFFFFFFFFFFFFF h=9223372036854775807 o=FIXED p=[254,255,0] r=data s=rel "
        "t=[13,65535]\n",
        NULL,
    };

    (void)state;
    check_texts(every_field_output_of(REGISTER
                                      "perf record -q " BOTH_EVENTS " -o /tmp/fields.data -- %s"
                                      " && perf script -i /tmp/fields.data -F trace:event,trace"),
                of_perf);
    check_texts(every_field_output_of(CAIRN_PROGRAM " decode -f text /tmp/fields.data"), of_cairn);
}

static void trace_cmd_records_every_field(void **state)
{
    static const char *const texts[] = {
        "a=1 b=128 c=2 d=32768 e=3 f=-2147483648 g=4 h=-9223372036854775808 i=-1 j=5 k=65534 l=6 "
        "m=7 n=120 o=fixed p=ARRAY[08, 09, 0a] q=18446744022169944075 r=data s=rel "
        "t=ARRAY[0d, 00, ff, ff]\n",
        "a=255 b=127 c=65535 d=32767 e=4294967295 f=2147483647 g=18446744073709551615 "
        "h=9223372036854775807 i=2147483647 j=4294967295 k=32767 l=65535 m=255 n=126 o=FIXED "
        "p=ARRAY[fe, ff, 00] q=4611686022722355199 r=data s=rel t=ARRAY[0d, 00, ff, ff]\n",
        "a=1 b=128 c=2 d=32768 e=3 f=-2147483648 g=4 h=-9223372036854775808 o=fixed "
        "p=ARRAY[08, 09, 0a] r=data s=rel t=ARRAY[0d, 00, ff, ff]\n",
        "a=255 b=127 c=65535 d=32767 e=4294967295 f=2147483647 g=18446744073709551615 "
        "h=9223372036854775807 o=FIXED p=ARRAY[fe, ff, 00] r=data s=rel t=ARRAY[0d, 00, ff, ff]\n",
        NULL,
    };

    (void)state;
    check_texts(every_field_output_of(REGISTER
                                      "trace-cmd record -q " BOTH_EVENTS
                                      " -o /tmp/fields.dat %s >/dev/null 2>&1"
                                      " && trace-cmd report -R -i /tmp/fields.dat 2>/dev/null"),
                texts);
}

/* ---- features of the kernel that use the fields ---- */

/* Opening the file for writing removes its old triggers. */
static void write_with(const char *file, const char *text)
{
    char path[256];

    (void)snprintf(path, sizeof(path), EVENT_DIRECTORY "/%s", file);
    guest_write(path, text);
}

static unsigned lines_of_event(const char *trace)
{
    unsigned count = 0;

    for (; (trace = strstr(trace, ": cairn_every:")); trace++)
        count++;
    return count;
}

/* The number of one of the two events; 2: both. */
struct filter {
    const char *text;
    unsigned event;
};

static void check_filter(const struct filter *filter)
{
    static const char *const begins[] = {": cairn_every: a=(1) ", ": cairn_every: a='\xff'(255) "};
    const char *trace;

    guest_write(TRACING "/trace", "");
    write_with("filter", filter->text);
    write_with("enable", "1");
    every_field_output_of("%s");
    write_with("enable", "0");
    trace = guest_read(TRACING "/trace");
    if (lines_of_event(trace) != (filter->event == 2 ? 2 : 1) ||
        (filter->event < 2 && !strstr(trace, begins[filter->event])))
        fail_msg("%s\n%s", filter->text, trace);
}

static void the_kernel_filters_by_every_field(void **state)
{
    static const struct filter filters[] = {
        {"a == 1", 0},
        {"a == 255", 1},
        {"b == -128", 0},
        {"b > 0", 1},
        {"c == 65535", 1},
        {"d < 0", 0},
        {"e == 4294967295", 1},
        {"f == -2147483648", 0},
        {"g == 18446744073709551615", 1},
        {"h == -9223372036854775808", 0},
        {"i == -1", 0},
        {"j > 5", 1},
        {"k == -2", 0},
        {"l == 65535", 1},
        {"m & 0x80", 1},
        {"n == 120", 0},
        {"o == \"fixed\"", 0},
        {"o ~ \"FI*\"", 1},
        {"r == \"data\"", 2},
        {"s ~ \"r*\"", 2},
        {"s == \"rel\" && h < 0 || e == 9", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
        check_filter(&filters[i]);
    write_with("filter", "0");
}

/* The keys of a histogram are unsigned, whatever the type of the field. */
struct histogram {
    const char *key;
    const char *entries[2];
};

static void check_histogram(const struct histogram *histogram)
{
    char text[64];
    const char *counted;

    (void)snprintf(text, sizeof(text), "hist:keys=%s:vals=e", histogram->key);
    write_with("trigger", text);
    every_field_output_of("%s");
    counted = guest_read(EVENT_DIRECTORY "/hist");
    for (int i = 0; i < 2; i++) {
        if (!strstr(counted, histogram->entries[i]))
            fail_msg("missing: %s\nin: %s", histogram->entries[i], counted);
    }
    write_with("trigger", "");
}

static void histograms_count_by_every_field(void **state)
{
    static const struct histogram histograms[] = {
        {"a", {"a:          1 } hitcount:          1", "a:        255 } hitcount:          1"}},
        {"b", {"b: 18446744073709551488 }", "b:        127 }"}},
        {"c", {"c:          2 }", "c:      65535 }"}},
        {"d", {"d: 18446744073709518848 }", "d:      32767 }"}},
        {"e", {"e:          3 }", "e: 4294967295 }"}},
        {"f", {"f: 18446744071562067968 }", "f: 2147483647 }"}},
        {"g", {"g:          4 }", "g: 18446744073709551615 }"}},
        {"h", {"h: 9223372036854775808 }", "h: 9223372036854775807 }"}},
        {"i", {"i: 18446744073709551615 }", "i: 2147483647 }"}},
        {"j", {"j:          5 }", "j: 4294967295 }"}},
        {"k", {"k: 18446744073709551614 }", "k:      32767 }"}},
        {"l", {"l:          6 }", "l:      65535 }"}},
        {"m", {"m:          7 }", "m:        255 }"}},
        {"n", {"n:        120 }", "n:        126 }"}},
        {"o", {"o: fixed ", "o: FIXED "}},
        {"r", {"r: data ", "hitcount:          2  e: 4294967298"}},
        {"s", {"s: rel ", "hitcount:          2  e: 4294967298"}},
        {"a,b,o", {"a:          1, b: 18446744073709551488, o: fixed ", ", o: FIXED "}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(histograms) / sizeof(*histograms); i++)
        check_histogram(&histograms[i]);
}

/* Synthetic events of the kernel take their values from user events. Their lines must be removed by
 * the test. */
static void synthetic_events_contain_the_fields(void **state)
{
    static const char *const texts[] = {
        ": cairn_made: a=1 h=-9223372036854775808\n",
        ": cairn_made: a=255 h=9223372036854775807\n",
        NULL,
    };
    const char *trace;

    (void)state;
    guest_write(TRACING "/trace", "");
    guest_run("echo 'cairn_made u8 a; s64 h' >>" TRACING "/synthetic_events");
    write_with("trigger", "hist:keys=common_pid:a=a,h=h:onmatch(user_events.cairn_every)"
                          ".trace(cairn_made,$a,$h)");
    guest_write(TRACING "/events/synthetic/cairn_made/enable", "1");
    every_field_output_of("%s");
    guest_write(TRACING "/events/synthetic/cairn_made/enable", "0");
    trace = guest_read(TRACING "/trace");
    write_with("trigger", "");
    guest_run("echo '!cairn_made' >>" TRACING "/synthetic_events");
    check_texts(trace, texts);
}

/* An event probe, which is another event of the kernel's own, does the same. */
static void event_probes_contain_the_fields(void **state)
{
    static const char *const texts[] = {
        ": cairn_probe: (user_events.cairn_every) b=-128 h=-9223372036854775808 o=\"fixed\" "
        "r=\"data\"\n",
        ": cairn_probe: (user_events.cairn_every) b=127 h=9223372036854775807 o=\"FIXED\" "
        "r=\"data\"\n",
        NULL,
    };
    const char *trace;

    (void)state;
    guest_write(TRACING "/trace", "");
    guest_run("echo 'e:cairn_probe user_events/cairn_every b=$b:s8 h=$h:s64 o=$o:string "
              "r=$r:string' >>" TRACING "/dynamic_events");
    guest_write(TRACING "/events/eprobes/cairn_probe/enable", "1");
    every_field_output_of("%s");
    guest_write(TRACING "/events/eprobes/cairn_probe/enable", "0");
    trace = guest_read(TRACING "/trace");
    guest_run("echo '-:eprobes/cairn_probe' >>" TRACING "/dynamic_events");
    check_texts(trace, texts);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ftrace_prints_every_field),
        cmocka_unit_test(perf_records_every_field),
        cmocka_unit_test(trace_cmd_records_every_field),
        cmocka_unit_test(the_kernel_filters_by_every_field),
        cmocka_unit_test(histograms_count_by_every_field),
        cmocka_unit_test(synthetic_events_contain_the_fields),
        cmocka_unit_test(event_probes_contain_the_fields),
    };

    every_field_main(argc, argv);
    return cmocka_run_group_tests(tests, every_field_register, NULL);
}
