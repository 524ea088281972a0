/* SPDX-License-Identifier: MIT */
/*
 * A kernel of almost nothing, for tests: two CPUs, timers, interrupts between them, a serial line.
 * arch/ARCH has what differs; runtime.c is the same for all; each image is one main_NAME.c.
 */
#ifndef BARE_H
#define BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BARE_CPUS        2u
#define BARE_STACK_BYTES 65536u

/* ---- what the architecture has ---- */

void bare_put(char c);
unsigned bare_cpu(void);
uint64_t bare_now_ns(void); /* the same on all CPUs */
bool bare_irqs_off(void);   /* returns whether they were on */
void bare_irqs_restore(bool on);
bool bare_irqs_are_on(void);
/* Traps and interrupts of this CPU; they are off afterwards. */
void bare_cpu_init(void);
/* Starts CPU 1 in bare_second(). */
void bare_start_second(void);
/* This CPU's timer comes so long after the last time was dealt with: what it interrupts gets on. 0:
 * it stops. */
void bare_timer(uint32_t every_us);
/* Interrupts another CPU: bare_on_interrupt() there. */
void bare_interrupt(unsigned cpu);
void bare_relax(void);
/* With interrupts off: waits for one. They are off on return, and it was taken, or is pending. */
void bare_wait(void);
/* Ends the machine. */
_Noreturn void bare_exit(bool success);
/* For static keys: see cairn/kernel/static_key.h. */
int bare_write_text(void *at, const void *bytes, size_t size_bytes);
void bare_sync_this_core(void);

#if defined(__x86_64__)
/* Sends an NMI: bare_nmi_hook there. */
void bare_nmi(unsigned cpu);
#endif

/* ---- what the architecture calls ---- */

void bare_first(void);  /* CPU 0, on its stack */
void bare_second(void); /* CPU 1 */
void bare_on_timer(void);
void bare_on_interrupt(void);
void bare_on_nmi(void);
/* A trap that nobody expects. */
_Noreturn void bare_panic(const char *what, uint64_t number, uint64_t at);

/* ---- what is the same for all ---- */

/* What an image does in timers' interrupts, and with breakpoints and NMIs. May be NULL. */
extern void (*bare_timer_hook)(void);
extern uintptr_t (*bare_breakpoint_hook)(uintptr_t ip); /* 0: panic */
extern void (*bare_nmi_hook)(void);

/* All CPUs have synchronized their instruction streams. Any context. */
void bare_sync_cores(void);

/* Has CPU 1 do something; waits until it is done. One at a time. */
void bare_second_begin(void (*job)(void));
void bare_second_wait(void);

/* Whether this CPU is in an interrupt, or in an NMI. */
bool bare_in_interrupt(void);
bool bare_in_nmi(void);

size_t bare_length(const char *text);
void bare_print(const char *text);
void bare_print_number(uint64_t number);
void bare_print_hex(const void *bytes, size_t size_bytes);

/* One line "ok N - text" or "not ok N - text". */
void bare_check(bool holds, const char *text);
/* As bare_check(a == b), and says what they are. */
void bare_check_equal(uint64_t a, uint64_t b, const char *text);
/* Tells how many checks there were, and ends the machine. */
_Noreturn void bare_done(void);

/* The image. Runs on CPU 0 with interrupts on. */
void bare_main(void);

#endif
