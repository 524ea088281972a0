/* SPDX-License-Identifier: MIT */
/* Attaching to the tracing directory, for what serves its files. */
#ifndef TRACEFS_ATTACH_H
#define TRACEFS_ATTACH_H

/*
 * As engine_attach, and under the same lock. From then on the process waits longer for the
 * registry's lock than traced programs do: those can leave a registration for others to complete,
 * but a program that registers by the kernel's files needs the answer.
 */
int tracefs_attach(void);

#endif
