/* SPDX-License-Identifier: MIT */
/* Attaching to the tracing directory. */
#include "tracefs/attach.h"
#include "engine/engine.h"

int tracefs_attach(void)
{
    engine_self.local.lock_tries = ENGINE_LOCK_TRIES_LONG;
    return engine_attach();
}
