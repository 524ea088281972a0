/* SPDX-License-Identifier: MIT */
/*
 * Detecting dead recorders. A recorder that is killed leaves its events enabled. The next process
 * that uses the tracing directory ends its session; until then the programs that still write for it
 * detect this by themselves, and disable these events.
 */
#ifndef ENGINE_WATCH_H
#define ENGINE_WATCH_H

#include <stdint.h>

/*
 * Checks, not more than once a second, that the recorders still live. `now_ns` is the time of
 * CLOCK_MONOTONIC. Any thread that does not hold the engine's lock; takes no memory, waits for no
 * other process.
 */
void engine_watch_recorders(uint64_t now_ns);

/*
 * The same by the heartbeats of recorders, without a lock and without a system call: for writers of
 * events. Any thread, any signal handler.
 */
void engine_watch_heartbeats(uint64_t now_ns);

#endif
