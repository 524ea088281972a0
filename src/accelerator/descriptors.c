/* SPDX-License-Identifier: MIT */
/* The descriptors whose events are written here. */
#include "accelerator/descriptors.h"

struct tracefs_data *accelerator_descriptors[ACCELERATOR_FD_MAX];

static unsigned int end; /* none from here on was ever known */
static bool has_stopped;

void accelerator_descriptors_know(int fd, struct tracefs_data *data)
{
    if ((unsigned int)fd >= ACCELERATOR_FD_MAX || core_load_relaxed(&has_stopped))
        return;
    if ((unsigned int)fd >= core_load_relaxed(&end))
        core_store_relaxed(&end, (unsigned int)fd + 1);
    core_store_release(&accelerator_descriptors[fd], data); /* pairs with accelerator_data_of */
}

void accelerator_descriptors_forget(unsigned int first, unsigned int last)
{
    for (unsigned int fd = first; fd <= last && fd < core_load_relaxed(&end); fd++) {
        if (core_load_relaxed(&accelerator_descriptors[fd]))
            core_store_relaxed(&accelerator_descriptors[fd], NULL);
    }
}

void accelerator_stop(void)
{
    core_store_relaxed(&has_stopped, true);
    accelerator_descriptors_forget(0, ACCELERATOR_FD_MAX - 1);
}
