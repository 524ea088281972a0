/* SPDX-License-Identifier: MIT */
/* Registers providers: a tracepoint for each of their call sites. Call sites with the same level
 * and keyword have the same event, which is looked up for the first of them only. */
#include "core/atomic.h"
#include "core/options.h"
#include "eventheader/name.h"
#include "eventheader/scratch.h"
#include "eventheader/sites.h"
#include "user_events/batch.h"

#include <link.h>
#include <pthread.h>
#include "engine/locks.h"

#include <stdlib.h>

/* A command text; exists as long as tracepoints are registered with it. */
struct cairn_i_name {
    struct cairn_i_name *next;
    const struct cairn_i_site *site; /* the first of the call sites that are registered with it */
    char command[CAIRN_PROVIDER_COMMAND_MAX_BYTES];
};

static struct eventheader_provider_name parts_of(const struct cairn_provider *provider)
{
    return (struct eventheader_provider_name){provider->name, provider->group, provider->options};
}

static int make_name(struct cairn_provider *provider, const struct cairn_i_site *site,
                     struct cairn_i_name **end)
{
    const struct eventheader_provider_name parts = parts_of(provider);
    struct cairn_i_name *name = malloc(sizeof(*name));

    if (!name)
        return ENOMEM;
    *name = (struct cairn_i_name){.site = site};
    eventheader_provider_command(&parts, site->level, eventheader_site_keyword(site),
                                 name->command);
    *end = name;
    return 0;
}

/* Makes a name for each level and keyword, in the order of the call sites. */
static int make_names(struct cairn_provider *provider)
{
    const struct cairn_i_site *site = eventheader_site_first(provider);
    const struct cairn_i_site *last = NULL;
    struct cairn_i_name **end = &provider->names;
    int first_error = 0;

    for (; site; site = eventheader_site_next(provider, site)) {
        int error = 0;

        if (last && eventheader_site_is_like(last, site))
            continue;
        error = make_name(provider, site, end);
        if (!error)
            end = &(*end)->next;
        else
            first_error = error;
        last = site;
    }
    return first_error;
}

static int register_site(struct user_events_batch *batch, const struct cairn_i_site *site,
                         const char *command)
{
    if (!core_version_is_known(site->version, CAIRN_I_SITE_VERSION))
        return EPROTONOSUPPORT;
    /* Before it can be enabled: its first event adds a descriptor. One that is registered again may
     * be in use, with the same site. */
    core_store_relaxed(&eventheader_site_tracepoint(site)->site, site);
    return user_events_batch_register(batch, eventheader_site_tracepoint(site), command);
}

/* Registers the call sites of one level and keyword. Returns the first failure. */
static int register_name(struct user_events_batch *batch, const struct cairn_provider *provider,
                         const struct cairn_i_name *name)
{
    const struct cairn_i_site *site = name->site;
    int first_error = 0;

    for (; site && eventheader_site_is_like(site, name->site);
         site = eventheader_site_next(provider, site)) {
        int error = register_site(batch, site, name->command);

        /* The compiler may have duplicated a call site: its tracepoint is registered already. */
        if (error != EALREADY && !first_error)
            first_error = error;
    }
    return first_error;
}

/* Memory is allocated before the locks are taken: the program's allocator may write events. */
static int register_sites(struct cairn_provider *provider)
{
    struct user_events_batch batch;
    int first_error = make_names(provider);

    if (!provider->names)
        return first_error;
    user_events_batch_open(&batch);
    batch.fixed_bytes = sizeof(struct cairn_eventheader);
    for (const struct cairn_i_name *name = provider->names; name; name = name->next) {
        int error = register_name(&batch, provider, name);

        first_error = first_error ? first_error : error;
    }
    user_events_batch_close(&batch);
    return first_error;
}

static int unregister_sites(struct cairn_provider *provider)
{
    const struct cairn_i_site *site = eventheader_site_first(provider);
    struct user_events_batch batch;
    int first_error = 0;

    if (!site)
        return 0;
    user_events_batch_open(&batch);
    for (; site; site = eventheader_site_next(provider, site)) {
        int error = user_events_batch_unregister(&batch, eventheader_site_tracepoint(site));

        /* Some may never have been registered. */
        if (error != ENOENT && !first_error)
            first_error = error;
    }
    user_events_batch_close(&batch);
    return first_error;
}

static void free_names(struct cairn_provider *provider)
{
    while (provider->names) {
        struct cairn_i_name *name = provider->names;

        provider->names = name->next;
        free(name);
    }
}

int cairn_provider_register(struct cairn_provider *provider)
{
    const struct eventheader_provider_name parts = parts_of(provider);
    int error = eventheader_provider_name_check(&parts);

    if (!error && !core_version_is_known(provider->version, CAIRN_I_PROVIDER_VERSION))
        error = EPROTONOSUPPORT;
    if (error)
        return error;
    error = EALREADY;
    engine_lock_take(ENGINE_LOCK_PROVIDERS);
    if (!provider->registered) {
        error = eventheader_scratch_reserve();
        if (!error) {
            provider->registered = 1;
            error = register_sites(provider);
        }
    }
    engine_lock_release(ENGINE_LOCK_PROVIDERS);
    return error;
}

int cairn_provider_unregister(struct cairn_provider *provider)
{
    int error = ENOENT;

    engine_lock_take(ENGINE_LOCK_PROVIDERS);
    if (provider->registered) {
        error = unregister_sites(provider);
        free_names(provider);
        provider->registered = 0;
    }
    engine_lock_release(ENGINE_LOCK_PROVIDERS);
    return error;
}

/* No backend asks for a state. */
int cairn_provider_on_capture_state(struct cairn_provider *provider,
                                    void (*callback)(void *context), void *context)
{
    int error;

    (void)callback;
    (void)context;
    engine_lock_take(ENGINE_LOCK_PROVIDERS);
    error = provider->registered ? EALREADY : 0;
    engine_lock_release(ENGINE_LOCK_PROVIDERS);
    return error;
}

/* ---- unloading ---- */

static int is_within(struct dl_phdr_info *info, size_t size_bytes, void *arg)
{
    (void)size_bytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        /* The program itself has no name. */
        if (part->p_type == PT_LOAD && !*info->dlpi_name &&
            (uintptr_t)arg - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return 1;
    }
    return 0;
}

/* A program is never unloaded. When it ends, the last functions that run may still write its
 * events. */
void cairn_i_provider_unload(struct cairn_provider *provider)
{
    if (!dl_iterate_phdr(is_within, provider))
        (void)cairn_provider_unregister(provider);
}
