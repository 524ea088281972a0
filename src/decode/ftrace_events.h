/* SPDX-License-Identifier: MIT */
/*
 * Events of the kernel's tracers whose format texts do not describe their records: the kernel
 * prints them by functions of its own.
 */
#ifndef DECODE_FTRACE_EVENTS_H
#define DECODE_FTRACE_EVENTS_H

#include "decode/layout.h"

/* Corrects the layout of such an event, when its fields and its print format were compiled. */
void decode_ftrace_correct(struct decode_layout *layout);

#endif
