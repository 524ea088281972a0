/* SPDX-License-Identifier: MIT */
/*
 * A minimal kernel for tests: two CPUs, timers, inter-processor interrupts, a serial line.
 * arch/ARCH has the parts that differ between architectures; runtime.c is common; each image is one
 * main_NAME.c.
 */
#ifndef BARE_H
#define BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BARE_CPUS        2u
#define BARE_STACK_BYTES 65536u

/* ---- functions of the architecture ---- */

void bare_put(char c);
unsigned bare_cpu(void);
uint64_t bare_now_ns(void); /* the same on all CPUs */
bool bare_irqs_off(void);   /* returns true if interrupts were on */
void bare_irqs_restore(bool on);
bool bare_irqs_are_on(void);
/* Sets up traps and interrupts of this CPU; interrupts are off afterwards. */
void bare_cpu_init(void);
/* Starts CPU 1 in bare_second(). */
void bare_start_second(void);
/* Sets this CPU's timer to interrupt `every_us` after the last interrupt was handled, so that the
 * interrupted code makes progress. 0: stops it. */
void bare_timer(uint32_t every_us);
/* Interrupts another CPU, which calls bare_on_interrupt(). */
void bare_interrupt(unsigned cpu);
void bare_relax(void);
/* Waits for an interrupt, with interrupts off on call and return. The interrupt was handled, or is
 * pending. */
void bare_wait(void);
/* Ends the machine. */
_Noreturn void bare_exit(bool success);
/* For static keys: see cairn/kernel/static_key.h. */
int bare_write_text(void *at, const void *bytes, size_t size_bytes);
void bare_sync_this_core(void);

#if defined(__x86_64__)
/* Sends an NMI: the CPU calls bare_nmi_hook. */
void bare_nmi(unsigned cpu);
#endif

/* ---- functions that the architecture calls ---- */

void bare_first(void);  /* CPU 0, on its stack */
void bare_second(void); /* CPU 1 */
void bare_on_timer(void);
void bare_on_interrupt(void);
void bare_on_nmi(void);
/* Prints an unexpected trap, and ends the machine. */
_Noreturn void bare_panic(const char *what, uint64_t number, uint64_t at);

/* ---- common functions ---- */

/* Functions of the image for timer interrupts, breakpoints and NMIs. May be NULL. */
extern void (*bare_timer_hook)(void);
extern uintptr_t (*bare_breakpoint_hook)(uintptr_t ip); /* 0: panic */
extern void (*bare_nmi_hook)(void);

/* Returns when all CPUs have synchronized their instruction streams. In any context. */
void bare_sync_cores(void);

/* Starts a function on CPU 1, and waits until it has returned. One at a time. */
void bare_second_begin(void (*job)(void));
void bare_second_wait(void);

/* True if this CPU is in an interrupt, or in an NMI. */
bool bare_in_interrupt(void);
bool bare_in_nmi(void);

size_t bare_length(const char *text);
void bare_print(const char *text);
void bare_print_number(uint64_t number);
void bare_print_hex(const void *bytes, size_t size_bytes);

/* Prints one line "ok N - text" or "not ok N - text". */
void bare_check(bool holds, const char *text);
/* As bare_check(a == b), and prints the values if they differ. */
void bare_check_equal(uint64_t a, uint64_t b, const char *text);
/* Prints the number of checks, and ends the machine. */
_Noreturn void bare_done(void);

/* The image's main function. Runs on CPU 0 with interrupts on. */
void bare_main(void);

#endif
