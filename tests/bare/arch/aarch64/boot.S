/* SPDX-License-Identifier: MIT */
/* aarch64: CPU 0 begins at _start, CPU 1 at bare_second_start, both in EL1 with the MMU off. */
    .section .text.boot, "ax"
    .globl _start
_start:
    ldr x1, =bss_start
    ldr x2, =bss_end
1:  cmp x1, x2
    b.hs 2f
    str xzr, [x1], #8
    b 1b
2:  mov x19, #0
    ldr x20, =bare_first
    b common

    .globl bare_second_start
bare_second_start:
    mov x19, #1
    ldr x20, =bare_second

/* x19: number of the CPU. x20: function to call. */
common:
    ldr x1, =bare_stacks
    add x2, x19, #1
    add x1, x1, x2, lsl #16
    mov sp, x1
    ldr x1, =vectors
    msr vbar_el1, x1

    /* One table of 1 GiB blocks that maps addresses to themselves: devices first, then memory. */
    ldr x1, =0xff04             /* attribute 0: device nGnRE; 1: normal, write-back */
    msr mair_el1, x1
    ldr x1, =0x200803519        /* 39 bits, 4 KiB, inner shareable, write-back; no TTBR1; 40 bits */
    msr tcr_el1, x1
    ldr x1, =page_table
    msr ttbr0_el1, x1
    dsb sy
    tlbi vmalle1
    dsb sy
    isb
    mrs x1, sctlr_el1
    ldr x2, =0x1005             /* MMU, data cache, instruction cache */
    orr x1, x1, x2
    bic x1, x1, #2              /* permits unaligned accesses */
    msr sctlr_el1, x1
    isb
    blr x20

    .macro vector what
    .balign 128
    sub sp, sp, #192
    stp x0, x1, [sp]
    mov x0, #\what
    b trap
    .endm

    .balign 2048
vectors:
    .irp what, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vector \what
    .endr

/* Saves everything that a C function may change, and passes the vector to C. */
trap:
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    stp x18, x29, [sp, #144]
    mrs x1, elr_el1
    mrs x2, spsr_el1
    stp x30, x1, [sp, #160]
    str x2, [sp, #176]
    mrs x2, esr_el1
    bl bare_trap
    ldr x2, [sp, #176]
    ldp x30, x1, [sp, #160]
    msr elr_el1, x1
    msr spsr_el1, x2
    ldp x18, x29, [sp, #144]
    ldp x16, x17, [sp, #128]
    ldp x14, x15, [sp, #112]
    ldp x12, x13, [sp, #96]
    ldp x10, x11, [sp, #80]
    ldp x8, x9, [sp, #64]
    ldp x6, x7, [sp, #48]
    ldp x4, x5, [sp, #32]
    ldp x2, x3, [sp, #16]
    ldp x0, x1, [sp]
    add sp, sp, #192
    eret

    .section .rodata
    .balign 4096
page_table:
    .quad 0x0060000000000401    /* a block, accessed, not for code; attribute 0 */
    .quad 0x0000000040000705    /* inner shareable, for code; attribute 1 */
    .skip 510 * 8

    .bss
    .balign 16
bare_stacks:
    .skip 2 * 65536
