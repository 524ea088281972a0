/* SPDX-License-Identifier: MIT */
/*
 * A recorder that is killed leaves its events enabled. Whoever comes next to the tracing directory
 * ends its session; until then the programs that go on writing for nobody find out by themselves,
 * and disable these events.
 */
#ifndef ENGINE_WATCH_H
#define ENGINE_WATCH_H

#include <stdint.h>

/*
 * Looks, not more than once a second, whether those who collect events still live. `now_ns` is the
 * time of CLOCK_MONOTONIC. Any thread that does not hold the engine's lock; takes no memory, waits
 * for no other process.
 */
void cairn_watch_recorders(uint64_t now_ns);

/*
 * The same by the heartbeats of recorders, without a lock and without a system call: for writers of
 * events. Any thread, any signal handler.
 */
void cairn_watch_heartbeats(uint64_t now_ns);

#endif
