/* SPDX-License-Identifier: MIT */
/* The golden events as generate.py writes them, for emit.c. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <cairn/eventheader.h>
#include <uchar.h>

#ifdef __cplusplus
extern "C" {
#endif

CAIRN_PROVIDER_DECLARE(golden);

void golden_prepare(void); /* to be called once, before the first event */

extern int (*const golden_events[])(void); /* each writes its event, and returns the result */
extern const int golden_event_count;

#ifdef __cplusplus
}
#endif

#endif
