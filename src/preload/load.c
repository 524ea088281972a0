/* SPDX-License-Identifier: MIT */
/* The library's beginning and end in a program. */
#include "preload/next.h"
#include "preload/place.h"
#include "preload/served.h"
#include "preload/text_session.h"

static bool is_active;

static __attribute__((constructor)) void begin(void)
{
    is_active = cairn_place_prepare();
    if (!is_active)
        return;
    cairn_text_session_keep();
    cairn_served_inherit();
}

static __attribute__((destructor)) void end(void)
{
    if (is_active)
        cairn_served_finish();
}
