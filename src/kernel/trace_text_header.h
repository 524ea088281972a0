/* SPDX-License-Identifier: MIT */
/*
 * The header above the lines of `trace`: a printf format for the entries in the rings, the entries
 * written (%llu both), and the CPUs (%u).
 */
#ifndef KERNEL_TRACE_TEXT_HEADER_H
#define KERNEL_TRACE_TEXT_HEADER_H

#define KERNEL_TRACE_HEADER                                            \
    "# tracer: nop\n#\n"                                               \
    "# entries-in-buffer/entries-written: %llu/%llu   #P:%u\n#\n"      \
    "#                                _-----=> irqs-off/BH-disabled\n" \
    "#                               / _----=> need-resched\n"         \
    "#                              | / _---=> hardirq/softirq\n"      \
    "#                              || / _--=> preempt-depth\n"        \
    "#                              ||| / _-=> migrate-disable\n"      \
    "#                              |||| /     delay\n"                \
    "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"      \
    "#              | |         |   |||||     |         |\n"

/* The content of a system's `filter`, if it has no error of its own. */
#define KERNEL_SYSTEM_FILTER                                  \
    "### global filter ###\n"                                 \
    "# Use this to set filters for multiple events.\n"        \
    "# Only events with the given fields will be affected.\n" \
    "# If no events are modified, an error message will be displayed here\n"

#endif
