/* SPDX-License-Identifier: MIT */
/* Random numbers for identifiers. */
#ifndef OS_RANDOM_H
#define OS_RANDOM_H

#include <stdint.h>

/* A random number other than 0, for identifiers, not for secrets. Does not wait, and is no
 * cancellation point. Any thread, any signal handler. */
uint64_t os_random(void);

#endif
