/* SPDX-License-Identifier: MIT */
/* QEMU's `virt` machine for aarch64, in EL1: GICv2, virtual timers, a PL011, PSCI, semihosting. */
#include "bare.h"

#define UART      ((volatile uint32_t *)0x09000000ul)
#define UART_FLAG 6
#define UART_FULL 0x20u

#define GICD_CTLR       (*(volatile uint32_t *)0x08000000ul)
#define GICD_ISENABLER0 (*(volatile uint32_t *)0x08000100ul)
#define GICD_SGIR       (*(volatile uint32_t *)0x08000f00ul)
#define GICC_CTLR       (*(volatile uint32_t *)0x08010000ul)
#define GICC_PMR        (*(volatile uint32_t *)0x08010004ul)
#define GICC_IAR        (*(volatile uint32_t *)0x0801000cul)
#define GICC_EOIR       (*(volatile uint32_t *)0x08010010ul)
#define IRQ_SGI         1u
#define IRQ_TIMER       27u
#define IRQ_NONE        1020u

#define PSCI_CPU_ON 0xc4000003ul
#define VECTOR_IRQ  5u
#define DAIF_IRQ    0x80ul

void bare_second_start(void);
void bare_trap(uint64_t vector, uint64_t at, uint64_t syndrome);

static uint64_t timer_us[BARE_CPUS];

void bare_put(char c)
{
    while (UART[UART_FLAG] & UART_FULL)
        ;
    *UART = (uint8_t)c;
}

unsigned bare_cpu(void)
{
    uint64_t id;

    __asm__("mrs %0, mpidr_el1" : "=r"(id));
    return id & 0xff;
}

static uint64_t frequency(void)
{
    uint64_t hz;

    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}

uint64_t bare_now_ns(void)
{
    uint64_t hz = frequency();
    uint64_t count;

    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(count) : : "memory");
    return count / hz * 1000000000u + count % hz * 1000000000u / hz;
}

bool bare_irqs_are_on(void)
{
    uint64_t daif;

    __asm__ volatile("mrs %0, daif" : "=r"(daif) : : "memory");
    return !(daif & DAIF_IRQ);
}

bool bare_irqs_off(void)
{
    bool on = bare_irqs_are_on();

    __asm__ volatile("msr daifset, #2" : : : "memory");
    return on;
}

void bare_irqs_restore(bool on)
{
    if (on)
        __asm__ volatile("msr daifclr, #2" : : : "memory");
}

void bare_cpu_init(void)
{
    GICD_CTLR = 1;
    GICD_ISENABLER0 = 1u << IRQ_SGI | 1u << IRQ_TIMER;
    GICC_PMR = 0xff;
    GICC_CTLR = 1;
}

void bare_start_second(void)
{
    register uint64_t function __asm__("x0") = PSCI_CPU_ON;
    register uint64_t cpu __asm__("x1") = 1;
    register uint64_t entry __asm__("x2") = (uintptr_t)bare_second_start;
    register uint64_t context __asm__("x3") = 0;

    __asm__ volatile("hvc #0" : "+r"(function) : "r"(cpu), "r"(entry), "r"(context) : "memory");
    if (function)
        bare_panic("PSCI CPU_ON", function, 0);
}

static void arm_timer(void)
{
    uint64_t us = timer_us[bare_cpu()];
    uint64_t ticks = us * frequency() / 1000000u;

    if (us)
        __asm__ volatile("msr cntv_tval_el0, %0" : : "r"(ticks));
    __asm__ volatile("msr cntv_ctl_el0, %0; isb" : : "r"(us ? 1ul : 0ul));
}

void bare_timer(uint32_t every_us)
{
    timer_us[bare_cpu()] = every_us;
    arm_timer();
}

void bare_interrupt(unsigned cpu)
{
    __asm__ volatile("dsb ish" : : : "memory");
    GICD_SGIR = 1u << (16 + cpu) | IRQ_SGI;
}

void bare_relax(void)
{
    __asm__ volatile("yield" : : : "memory");
}

void bare_wait(void)
{
    __asm__ volatile("dsb sy; wfi" : : : "memory");
}

_Noreturn void bare_exit(bool success)
{
    const uint64_t block[2] = {0x20026, success ? 0 : 1}; /* ADP_Stopped_ApplicationExit, with a
                                                           * status */
    register uint64_t operation __asm__("x0") = 0x18;
    register const uint64_t *argument __asm__("x1") = block;

    __asm__ volatile("hlt #0xf000" : : "r"(operation), "r"(argument), "m"(block));
    for (;;)
        ;
}

int bare_write_text(void *at, const void *bytes, size_t size_bytes)
{
    uint32_t word;

    (void)size_bytes;
    __builtin_memcpy(&word, bytes, sizeof(word));
    __atomic_store_n((uint32_t *)at, word, __ATOMIC_RELAXED);
    __asm__ volatile("dc cvau, %0; dsb ish; ic ivau, %0; dsb ish; isb" : : "r"(at) : "memory");
    return 0;
}

void bare_sync_this_core(void)
{
    __asm__ volatile("isb" : : : "memory");
}

void bare_trap(uint64_t vector, uint64_t at, uint64_t syndrome)
{
    uint32_t taken;

    if (vector != VECTOR_IRQ)
        bare_panic("trap", syndrome >> 26, at);
    taken = GICC_IAR;
    if ((taken & 1023u) >= IRQ_NONE)
        return;
    GICC_EOIR = taken;
    if ((taken & 1023u) == IRQ_SGI) {
        bare_on_interrupt();
    } else {
        bare_on_timer();
        arm_timer();
    }
}
