/* SPDX-License-Identifier: MIT */
/* Functions that images share: the serial line, checks, and running functions on both CPUs. */
#include "bare.h"

void (*bare_timer_hook)(void);
uintptr_t (*bare_breakpoint_hook)(uintptr_t ip);
void (*bare_nmi_hook)(void);

static unsigned checks;
static unsigned failures;

/* ---- the serial line: whole lines from each CPU ---- */

void bare_print(const char *text)
{
    for (; *text; text++)
        bare_put(*text);
}

void bare_print_number(uint64_t number)
{
    char digits[20];
    size_t n = 0;

    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (n)
        bare_put(digits[--n]);
}

void bare_print_hex(const void *bytes, size_t size_bytes)
{
    const uint8_t *byte = bytes;

    for (size_t i = 0; i < size_bytes; i++) {
        bare_put("0123456789abcdef"[byte[i] >> 4]);
        bare_put("0123456789abcdef"[byte[i] & 15]);
    }
}

/* ---- checks ---- */

void bare_check(bool holds, const char *text)
{
    checks++;
    failures += !holds;
    bare_print(holds ? "ok " : "not ok ");
    bare_print_number(checks);
    bare_print(" - ");
    bare_print(text);
    bare_put('\n');
}

void bare_check_equal(uint64_t a, uint64_t b, const char *text)
{
    if (a != b) {
        bare_print("# ");
        bare_print_number(a);
        bare_print(" is not ");
        bare_print_number(b);
        bare_put('\n');
    }
    bare_check(a == b, text);
}

_Noreturn void bare_done(void)
{
    bare_print("1..");
    bare_print_number(checks);
    bare_put('\n');
    bare_exit(failures == 0);
}

_Noreturn void bare_panic(const char *what, uint64_t number, uint64_t at)
{
    uint8_t address[8];

    for (unsigned i = 0; i < 8; i++)
        address[i] = (uint8_t)(at >> (56 - 8 * i));
    bare_print("\nBail out! ");
    bare_print(what);
    bare_put(' ');
    bare_print_number(number);
    bare_print(" at ");
    bare_print_hex(address, 8);
    bare_print(" on CPU ");
    bare_print_number(bare_cpu());
    bare_put('\n');
    bare_exit(false);
}

/* ---- interrupts ---- */

static struct {
    uint32_t depth;  /* number of nested interrupts */
    uint32_t nmis;   /* number of nested NMIs */
    uint32_t wanted; /* number of requests to synchronize */
    uint32_t done;   /* requests that had been made at its last synchronization */
    uint32_t online;
    uint8_t padding[44];
} cpus[BARE_CPUS];

bool bare_in_interrupt(void)
{
    return cpus[bare_cpu()].depth != 0;
}

bool bare_in_nmi(void)
{
    return cpus[bare_cpu()].nmis != 0;
}

static void answer(void)
{
    unsigned cpu = bare_cpu();
    uint32_t wanted = __atomic_load_n(&cpus[cpu].wanted, __ATOMIC_ACQUIRE);

    bare_sync_this_core();
    /* Also a memory barrier: stores before it on this CPU are visible to the requesting CPU. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    /* The requesting CPU continues when it reads this. */
    __atomic_store_n(&cpus[cpu].done, wanted, __ATOMIC_RELEASE);
}

void bare_on_interrupt(void)
{
    cpus[bare_cpu()].depth++;
    answer();
    cpus[bare_cpu()].depth--;
}

void bare_on_timer(void)
{
    cpus[bare_cpu()].depth++;
    if (bare_timer_hook)
        bare_timer_hook();
    cpus[bare_cpu()].depth--;
}

void bare_on_nmi(void)
{
    cpus[bare_cpu()].nmis++;
    if (bare_nmi_hook)
        bare_nmi_hook();
    cpus[bare_cpu()].nmis--;
}

/* Answers requests while it waits: two CPUs that request with interrupts off do not wait for each
 * other forever. */
void bare_sync_cores(void)
{
    for (unsigned cpu = 0; cpu < BARE_CPUS; cpu++) {
        uint32_t ticket;

        if (cpu == bare_cpu() || !__atomic_load_n(&cpus[cpu].online, __ATOMIC_ACQUIRE))
            continue;
        ticket = __atomic_add_fetch(&cpus[cpu].wanted, 1, __ATOMIC_ACQ_REL);
        bare_interrupt(cpu);
        while ((int32_t)(__atomic_load_n(&cpus[cpu].done, __ATOMIC_ACQUIRE) - ticket) < 0) {
            bool on = bare_irqs_off();

            answer();
            bare_irqs_restore(on);
            bare_relax();
        }
    }
    bare_sync_this_core();
}

/* ---- the second CPU ---- */

static void (*second_job)(void);

void bare_second_begin(void (*job)(void))
{
    __atomic_store_n(&second_job, job, __ATOMIC_RELEASE);
    bare_interrupt(1); /* the CPU may be waiting */
}

/* Tests with interrupts off, so that the interrupt at the end of the function is not missed. */
void bare_second_wait(void)
{
    bare_irqs_off();
    while (__atomic_load_n(&second_job, __ATOMIC_ACQUIRE)) {
        bare_wait();
        bare_irqs_restore(true);
        bare_irqs_off();
    }
    bare_irqs_restore(true);
}

void bare_second(void)
{
    bare_cpu_init();
    __atomic_store_n(&cpus[1].online, 1, __ATOMIC_RELEASE);
    for (;;) {
        void (*job)(void) = __atomic_load_n(&second_job, __ATOMIC_ACQUIRE);

        if (!job)
            bare_wait();
        bare_irqs_restore(true);
        if (job) {
            job();
            __atomic_store_n(&second_job, NULL, __ATOMIC_RELEASE);
            bare_interrupt(0);
        }
        bare_irqs_off();
    }
}

void bare_first(void)
{
    bare_cpu_init();
    __atomic_store_n(&cpus[0].online, 1, __ATOMIC_RELEASE);
    bare_start_second();
    while (!__atomic_load_n(&cpus[1].online, __ATOMIC_ACQUIRE))
        bare_relax();
    bare_irqs_restore(true);
    bare_main();
    bare_done();
}
