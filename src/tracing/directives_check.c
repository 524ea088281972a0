/* SPDX-License-Identifier: MIT */
/* Finds directives that match nothing: most of them are misspelt. */
#include "tracing/directives_internal.h"
#include "tracing/registry.h"

#include <errno.h>
#include <stdlib.h>

struct directives_check_search {
    const struct cairn_directives *directives;
    bool *fits; /* one for each directive */
};

static void look_at(const struct cairn_callsite *site, void *arg)
{
    struct directives_check_search *search = arg;

    for (uint32_t i = 0; i < search->directives->count; i++)
        search->fits[i] =
            search->fits[i] || tracing_directive_fits(&search->directives->list[i], site);
}

static const char *reason_of(const struct tracing_directive *directive)
{
    if (directive->is_of_spans)
        return "no span or event known so far matches";
    if (directive->has_level)
        return "no target known so far begins with this";
    return "no target known so far begins with this; a level is off, error, warn, info, debug, "
           "trace, or 0 to 5, and there are commas between directives";
}

/* A level alone matches everything, even if there are no call sites. */
static bool is_for_all(const struct tracing_directive *directive)
{
    return !directive->is_of_spans && !directive->target.length;
}

int cairn_directives_check(const struct cairn_directives *directives, cairn_directives_warn warn,
                           void *arg)
{
    struct directives_check_search search = {directives, NULL};

    if (tracing_in_callback())
        return EDEADLK;
    search.fits = calloc(directives->count + 1, sizeof(bool));
    if (!search.fits)
        return ENOMEM;
    tracing_registry_lock();
    tracing_registry_each(look_at, &search);
    tracing_registry_unlock();
    for (uint32_t i = 0; i < directives->count; i++) {
        const struct tracing_directive *d = &directives->list[i];
        const struct cairn_directives_warning warning = {
            .directive_at = (size_t)(d->whole.text - directives->text),
            .directive_bytes = d->whole.length,
            .at = (size_t)(d->whole.text - directives->text),
            .reason = reason_of(d),
        };

        if (!search.fits[i] && !is_for_all(d))
            warn(arg, &warning);
    }
    free(search.fits);
    return 0;
}
