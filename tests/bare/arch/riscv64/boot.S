/* SPDX-License-Identifier: MIT */
/* riscv64: both harts begin here, in machine mode, with interrupts off. */
    .section .text.boot, "ax"
    .globl _start
_start:
    csrr t0, mhartid
    la sp, bare_stacks
    li t1, 65536
    addi t2, t0, 1
    mul t1, t1, t2
    add sp, sp, t1
    la t1, trap
    csrw mtvec, t1
    bnez t0, second

    la t1, bss_start
    la t2, bss_end
1:  bgeu t1, t2, 2f
    sd zero, 0(t1)
    addi t1, t1, 8
    j 1b
2:  call bare_first

second:
    la t1, bare_second_may_start
3:  lw t2, 0(t1)
    beqz t2, 3b
    fence
    call bare_second

/* Saves everything that a C function may change, and passes the cause and the address to C. */
    .balign 4
trap:
    addi sp, sp, -128
    .set i, 0
    .irp reg, ra, t0, t1, t2, t3, t4, t5, t6, a0, a1, a2, a3, a4, a5, a6, a7
    sd \reg, i * 8(sp)
    .set i, i + 1
    .endr
    csrr a0, mcause
    csrr a1, mepc
    call bare_trap
    .set i, 0
    .irp reg, ra, t0, t1, t2, t3, t4, t5, t6, a0, a1, a2, a3, a4, a5, a6, a7
    ld \reg, i * 8(sp)
    .set i, i + 1
    .endr
    addi sp, sp, 128
    mret

/* Not in .bss: hart 1 reads it while hart 0 clears .bss. */
    .data
    .balign 4
    .globl bare_second_may_start
bare_second_may_start:
    .word 0

    .bss
    .balign 16
bare_stacks:
    .skip 2 * 65536
