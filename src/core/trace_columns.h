/* SPDX-License-Identifier: MIT */
/* What stands above the lines of `trace`. */
#ifndef CORE_TRACE_COLUMNS_H
#define CORE_TRACE_COLUMNS_H

#define CAIRN_TRACE_COLUMNS                                            \
    "#                                _-----=> irqs-off/BH-disabled\n" \
    "#                               / _----=> need-resched\n"         \
    "#                              | / _---=> hardirq/softirq\n"      \
    "#                              || / _--=> preempt-depth\n"        \
    "#                              ||| / _-=> migrate-disable\n"      \
    "#                              |||| /     delay\n"                \
    "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"      \
    "#              | |         |   |||||     |         |\n"

#endif
