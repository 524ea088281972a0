/* SPDX-License-Identifier: MIT */
/* The data that a mount provides about the events of its user_events_data. */
#ifndef ACCELERATOR_OPENINGS_H
#define ACCELERATOR_OPENINGS_H

/* An event was registered through a descriptor: asks the mount for what is new, and makes the
 * descriptor known. errno stays as it is. */
void accelerator_opening_learn(int fd);

#endif
