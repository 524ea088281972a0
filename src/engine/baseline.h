/* SPDX-License-Identifier: MIT */
/* The values that the control records of a chunk have set, for the records after them. */
#ifndef ENGINE_BASELINE_H
#define ENGINE_BASELINE_H

#include <stdint.h>

/* The units of a record's time. */
enum engine_unit {
    ENGINE_UNIT_NONE = 0, /* nothing was written to the chunk yet */
    ENGINE_UNIT_TICKS,    /* of the processor's counter */
    ENGINE_UNIT_NS,       /* of CLOCK_MONOTONIC */
};

struct engine_baseline {
    uint64_t base; /* of times */
    uint32_t cpu;
    uint32_t unit; /* enum engine_unit */
};

#endif
