/* SPDX-License-Identifier: MIT */
/*
 * x86-64: QEMU enters CPU 0 at _start by the PVH note, in 32-bit mode. CPU 1 starts in a copy of
 * `real_start` at 0x8000, in 16-bit mode. Both continue at `protected`.
 */
    .section .note.pvh, "a", @note
    .long 4, 4, 18              /* XEN_ELFNOTE_PHYS32_ENTRY */
    .asciz "Xen"
    .long _start

    .section .text.boot, "ax"
    .code32
    .globl _start
_start:
    cli
    mov $bss_start, %edi
    mov $bss_end, %ecx
    sub %edi, %ecx
    shr $2, %ecx
    xor %eax, %eax
    rep stosl

    /* Maps the first 4 GiB to themselves, in pages of 2 MiB. */
    mov $page_tables, %edi
    lea 0x1000 + 3(%edi), %eax
    mov %eax, (%edi)
    mov $4, %ecx
    lea 0x1000(%edi), %ebx
    lea 0x2000 + 3(%edi), %eax
1:  mov %eax, (%ebx)
    add $8, %ebx
    add $0x1000, %eax
    loop 1b
    mov $2048, %ecx
    lea 0x2000(%edi), %ebx
    mov $0x83, %eax             /* present, writable, large */
2:  mov %eax, (%ebx)
    add $8, %ebx
    add $0x200000, %eax
    loop 2b

    lgdt gdt_pointer
    xor %esi, %esi              /* number of the CPU */
    ljmp $8, $protected

protected:
    mov $24, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov %cr4, %eax
    or $0x20, %eax              /* PAE */
    mov %eax, %cr4
    mov $page_tables, %eax
    mov %eax, %cr3
    mov $0xc0000080, %ecx       /* EFER: long mode */
    rdmsr
    or $0x100, %eax
    wrmsr
    mov %cr0, %eax
    or $0x80000001, %eax        /* paging */
    mov %eax, %cr0
    ljmp $16, $long_mode

    .code64
long_mode:
    mov %esi, %edi
    lea 1(%rdi), %eax
    shl $16, %eax
    lea bare_stacks(%rax), %rsp
    xor %ebp, %ebp
    mov $bare_begin, %rax
    call *%rax

    .code16
    .globl bare_real_start, bare_real_end
bare_real_start:
    cli
    mov %cs, %ax
    mov %ax, %ds
    lgdtl real_gdt_pointer - bare_real_start
    mov $1, %eax
    mov %eax, %cr0
    mov $1, %esi
    ljmpl $8, $protected
    .balign 4
real_gdt_pointer:
    .word gdt_end - gdt - 1
    .long gdt
bare_real_end:

/* ---- traps: all vectors lead to one function, with their number ---- */
    .code64
    .text
    .balign 16
    .globl bare_vectors
bare_vectors:
    .set vector, 0
    .rept 64
    .balign 16
    /* These push an error code of their own. */
    .if (vector != 8) && (vector < 10 || vector > 14) && (vector != 17) && (vector != 21)
    push $0
    .endif
    push $vector
    jmp trap
    .set vector, vector + 1
    .endr
    .balign 16

trap:
    .irp reg, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
    push %\reg
    .endr
    mov %rsp, %rdi
    mov %rsp, %rax
    and $-16, %rsp
    sub $16, %rsp
    mov %rax, (%rsp)
    cld
    call bare_trap
    mov (%rsp), %rsp
    .irp reg, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
    pop %\reg
    .endr
    add $16, %rsp
    iretq

    .section .rodata
    .balign 8
gdt:
    .quad 0
    .quad 0x00cf9a000000ffff    /* 8: code, 32 bits */
    .quad 0x00af9a000000ffff    /* 16: code, 64 bits */
    .quad 0x00cf92000000ffff    /* 24: data */
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .long gdt

    .bss
    .balign 4096
page_tables:
    .skip 6 * 4096
bare_stacks:
    .skip 2 * 65536
