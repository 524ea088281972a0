/* SPDX-License-Identifier: MIT */
/* QEMU's `virt` machine for riscv64, in machine mode: CLINT, a 16550, the test device. */
#include "bare.h"

#define CLINT_MSIP(hart)     ((volatile uint32_t *)(0x02000000ul + 4ul * (hart)))
#define CLINT_MTIMECMP(hart) ((volatile uint64_t *)(0x02004000ul + 8ul * (hart)))
#define CLINT_MTIME          ((volatile uint64_t *)0x0200bff8ul) /* 10 MHz */
#define UART                 ((volatile uint8_t *)0x10000000ul)
#define UART_LINE_STATUS     5
#define UART_EMPTY           0x20
#define TEST_DEVICE          ((volatile uint32_t *)0x00100000ul)
#define TEST_PASS            0x5555u
#define TEST_FAIL            0x13333u

#define MSTATUS_MIE 8ul
#define MIE_MSIE    8ul
#define MIE_MTIE    0x80ul
#define INTERRUPT   (1ul << 63)

extern uint32_t bare_second_may_start;
void bare_trap(uint64_t cause, uint64_t at);

static uint64_t timer_ticks[BARE_CPUS];

void bare_put(char c)
{
    while (!(UART[UART_LINE_STATUS] & UART_EMPTY))
        ;
    *UART = (uint8_t)c;
}

unsigned bare_cpu(void)
{
    uint64_t hart;

    __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
    return (unsigned)hart;
}

uint64_t bare_now_ns(void)
{
    return *CLINT_MTIME * 100;
}

bool bare_irqs_are_on(void)
{
    uint64_t status;

    __asm__ volatile("csrr %0, mstatus" : "=r"(status) : : "memory");
    return status & MSTATUS_MIE;
}

bool bare_irqs_off(void)
{
    uint64_t status;

    __asm__ volatile("csrrc %0, mstatus, %1" : "=r"(status) : "r"(MSTATUS_MIE) : "memory");
    return status & MSTATUS_MIE;
}

void bare_irqs_restore(bool on)
{
    if (on)
        __asm__ volatile("csrs mstatus, %0" : : "r"(MSTATUS_MIE) : "memory");
}

void bare_cpu_init(void)
{
    *CLINT_MTIMECMP(bare_cpu()) = UINT64_MAX;
    *CLINT_MSIP(bare_cpu()) = 0;
    __asm__ volatile("csrw mie, %0" : : "r"(MIE_MSIE | MIE_MTIE));
}

void bare_start_second(void)
{
    __atomic_store_n(&bare_second_may_start, 1, __ATOMIC_RELEASE);
}

static void arm_timer(void)
{
    unsigned cpu = bare_cpu();

    *CLINT_MTIMECMP(cpu) = timer_ticks[cpu] ? *CLINT_MTIME + timer_ticks[cpu] : UINT64_MAX;
}

void bare_timer(uint32_t every_us)
{
    timer_ticks[bare_cpu()] = every_us * 10ull;
    arm_timer();
}

void bare_interrupt(unsigned cpu)
{
    __asm__ volatile("fence" : : : "memory");
    *CLINT_MSIP(cpu) = 1;
}

void bare_relax(void)
{
    __asm__ volatile("nop" : : : "memory");
}

void bare_wait(void)
{
    __asm__ volatile("wfi" : : : "memory");
}

_Noreturn void bare_exit(bool success)
{
    *TEST_DEVICE = success ? TEST_PASS : TEST_FAIL;
    for (;;)
        ;
}

int bare_write_text(void *at, const void *bytes, size_t size_bytes)
{
    uint32_t word;

    (void)size_bytes;
    __builtin_memcpy(&word, bytes, sizeof(word));
    __atomic_store_n((uint32_t *)at, word, __ATOMIC_RELEASE);
    __asm__ volatile("fence.i" : : : "memory");
    return 0;
}

void bare_sync_this_core(void)
{
    __asm__ volatile("fence.i" : : : "memory");
}

void bare_trap(uint64_t cause, uint64_t at)
{
    if (cause == (INTERRUPT | 3)) {
        *CLINT_MSIP(bare_cpu()) = 0;
        __asm__ volatile("fence" : : : "memory");
        bare_on_interrupt();
    } else if (cause == (INTERRUPT | 7)) {
        bare_on_timer();
        arm_timer();
    } else {
        bare_panic("trap", cause, at);
    }
}
