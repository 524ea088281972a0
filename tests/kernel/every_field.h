/* SPDX-License-Identifier: MIT */
/* A program that writes events with a field of every type that the command format has. */
#ifndef TESTS_KERNEL_EVERY_FIELD_H
#define TESTS_KERNEL_EVERY_FIELD_H

/* Written with the public interface; two events, with small and with large values. */
#define EVERY_FIELD_COMMAND                                                                   \
    "cairn_every u8 a;s8 b;u16 c;s16 d;u32 e;s32 f;u64 g;s64 h;int i;unsigned int j;short k;" \
    "unsigned short l;unsigned char m;char n;char[6] o;unsigned char[3] p;struct point q 8;"  \
    "__data_loc char[] r;__rel_loc char[] s;__rel_loc u16[] t"

/* The same as a typed tracepoint, which the program registers automatically. */
#define EVERY_TYPED_COMMAND                                                                   \
    "cairn_typed u8 a;s8 b;u16 c;s16 d;u32 e;s32 f;u64 g;s64 h;char[6] o;unsigned char[3] p;" \
    "__data_loc char[] r;__rel_loc char[] s;__rel_loc u16[] t"

/*
 * Call it first in main. With the argument --every-field the program writes the events: the
 * function does not return. Otherwise it makes child processes use the kernel only.
 */
void every_field_main(int argc, char **argv);

/* For cmocka_run_group_tests: this process keeps cairn_every registered until it ends; it has
 * cairn_typed anyway. */
int every_field_register(void **state);

/* Runs a shell command with the command line of the writing program for each %s; returns its
 * output. */
const char *every_field_output_of(const char *format);

#endif
