/* SPDX-License-Identifier: MIT */
/* A tracing directory that an older version made: it stays when the computer is not restarted. */
#ifndef ENGINE_UPGRADE_H
#define ENGINE_UPGRADE_H

#include "engine/directory.h"

/*
 * Under the lock: takes away what an older version left in the directory, if nobody lives who uses
 * it. Who merely looks at it keeps what is mapped. Returns 0, and the registry can be made anew; or
 * EPROTONOSUPPORT: somebody does.
 */
int cairn_directory_clear_old(const struct cairn_directory *directory);

#endif
