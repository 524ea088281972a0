/* SPDX-License-Identifier: MIT */
/* QEMU's `q35` machine: local APICs, HPET, a 16550, the debug exit device. */
#include "bare.h"

#define SERIAL             0x3f8
#define SERIAL_LINE_STATUS 0x3fd
#define SERIAL_EMPTY       0x20
#define DEBUG_EXIT         0xf4

#define APIC(offset)       (*(volatile uint32_t *)(0xfee00000ul + (offset)))
#define APIC_EOI           0x0b0
#define APIC_SPURIOUS      0x0f0
#define APIC_COMMAND       0x300
#define APIC_COMMAND_TO    0x310
#define APIC_TIMER         0x320
#define APIC_TIMER_COUNT   0x380
#define APIC_TIMER_DIVIDE  0x3e0
#define APIC_COMMAND_INIT  0x4500u
#define APIC_COMMAND_START 0x4600u
#define APIC_COMMAND_FIXED 0x4000u
#define APIC_COMMAND_NMI   0x4400u
#define APIC_DIVIDE_BY_1   11u

#define HPET(offset) (*(volatile uint64_t *)(0xfed00000ul + (offset)))

#define VECTOR_NMI       2
#define VECTOR_INT3      3
#define VECTOR_TIMER     32
#define VECTOR_INTERRUPT 33
#define VECTOR_SPURIOUS  63
#define STUB_BYTES       16u

#define REAL_START 0x8000ul
#define MSR_GS     0xc0000101u
#define FLAG_IF    0x200u

struct frame {
    uint64_t saved[9];
    uint64_t vector;
    uint64_t error;
    uint64_t ip;
};

struct gate {
    uint16_t low;
    uint16_t selector;
    uint16_t kind;
    uint16_t middle;
    uint32_t high;
    uint32_t reserved;
};

extern const uint8_t bare_vectors[];
extern const uint8_t bare_real_start[];
extern const uint8_t bare_real_end[];
void bare_begin(unsigned cpu);
void bare_trap(struct frame *frame);

static struct gate gates[64];
static const uint64_t cpu_numbers[BARE_CPUS] = {0, 1};
static uint32_t timer_ns[BARE_CPUS];

static void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static uint8_t in8(uint16_t port)
{
    uint8_t value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

void bare_put(char c)
{
    while (!(in8(SERIAL_LINE_STATUS) & SERIAL_EMPTY))
        ;
    out8(SERIAL, (uint8_t)c);
}

unsigned bare_cpu(void)
{
    uint32_t cpu;

    __asm__("movl %%gs:0, %0" : "=r"(cpu));
    return cpu;
}

uint64_t bare_now_ns(void)
{
    return HPET(0xf0) * 10; /* 100 MHz */
}

bool bare_irqs_are_on(void)
{
    uint64_t flags;

    __asm__ volatile("pushf; pop %0" : "=r"(flags) : : "memory");
    return flags & FLAG_IF;
}

bool bare_irqs_off(void)
{
    bool on = bare_irqs_are_on();

    __asm__ volatile("cli" : : : "memory");
    return on;
}

void bare_irqs_restore(bool on)
{
    if (on)
        __asm__ volatile("sti" : : : "memory");
}

void bare_begin(unsigned cpu)
{
    uintptr_t base = (uintptr_t)&cpu_numbers[cpu];

    __asm__ volatile("wrmsr" : : "c"(MSR_GS), "a"((uint32_t)base), "d"(0));
    if (cpu)
        bare_second();
    bare_first();
}

static void make_gates(void)
{
    for (unsigned i = 0; i < sizeof(gates) / sizeof(gates[0]); i++) {
        uintptr_t at = (uintptr_t)(bare_vectors + (size_t)STUB_BYTES * i);

        gates[i] = (struct gate){
            .low = (uint16_t)at,
            .selector = 16,
            .kind = 0x8e00, /* interrupts off on entry */
            .middle = (uint16_t)(at >> 16),
            .high = (uint32_t)((uint64_t)at >> 32),
        };
    }
}

void bare_cpu_init(void)
{
    const struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) pointer = {sizeof(gates) - 1, (uintptr_t)gates};

    if (bare_cpu() == 0) {
        make_gates();
        out8(0x21, 0xff); /* the old interrupt controllers */
        out8(0xa1, 0xff);
        HPET(0x10) = 1;
    }
    __asm__ volatile("lidt %0" : : "m"(pointer));
    APIC(APIC_SPURIOUS) = 0x100 | VECTOR_SPURIOUS;
    APIC(APIC_TIMER_DIVIDE) = APIC_DIVIDE_BY_1;
}

static void command(unsigned cpu, uint32_t what)
{
    /* Two writes: an interrupt must not write a command between them. */
    bool on = bare_irqs_off();

    APIC(APIC_COMMAND_TO) = cpu << 24;
    APIC(APIC_COMMAND) = what;
    bare_irqs_restore(on);
}

static void wait_us(uint64_t us)
{
    uint64_t start = bare_now_ns();

    while (bare_now_ns() - start < us * 1000)
        bare_relax();
}

void bare_start_second(void)
{
    __builtin_memcpy((void *)REAL_START, bare_real_start,
                     (size_t)(bare_real_end - bare_real_start));
    command(1, APIC_COMMAND_INIT);
    wait_us(10000);
    command(1, APIC_COMMAND_START | REAL_START >> 12);
}

static void arm_timer(void)
{
    APIC(APIC_TIMER) = VECTOR_TIMER;
    APIC(APIC_TIMER_COUNT) = timer_ns[bare_cpu()]; /* 1 GHz */
}

void bare_timer(uint32_t every_us)
{
    timer_ns[bare_cpu()] = every_us * 1000;
    arm_timer();
}

void bare_interrupt(unsigned cpu)
{
    command(cpu, APIC_COMMAND_FIXED | VECTOR_INTERRUPT);
}

void bare_nmi(unsigned cpu)
{
    command(cpu, APIC_COMMAND_NMI);
}

void bare_relax(void)
{
    __asm__ volatile("pause" : : : "memory");
}

void bare_wait(void)
{
    __asm__ volatile("sti; hlt; cli" : : : "memory");
}

_Noreturn void bare_exit(bool success)
{
    out8(DEBUG_EXIT, success ? 0x10 : 0x11); /* QEMU's exit status is twice that plus 1 */
    for (;;)
        ;
}

int bare_write_text(void *at, const void *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        ((volatile uint8_t *)at)[i] = ((const uint8_t *)bytes)[i];
    return 0;
}

void bare_sync_this_core(void)
{
    uint32_t leaf = 0;

    __asm__ volatile("cpuid" : "+a"(leaf) : : "rbx", "rcx", "rdx", "memory");
}

void bare_trap(struct frame *frame)
{
    uintptr_t to;

    switch (frame->vector) {
    case VECTOR_NMI:
        bare_on_nmi();
        return;
    case VECTOR_INT3:
        to = bare_breakpoint_hook ? bare_breakpoint_hook(frame->ip) : 0;
        if (!to)
            bare_panic("breakpoint", 0, frame->ip);
        frame->ip = to;
        return;
    case VECTOR_TIMER:
        APIC(APIC_EOI) = 0;
        bare_on_timer();
        arm_timer();
        return;
    case VECTOR_INTERRUPT:
        APIC(APIC_EOI) = 0;
        bare_on_interrupt();
        return;
    case VECTOR_SPURIOUS:
        return;
    default:
        bare_panic("trap", frame->vector, frame->ip);
    }
}
