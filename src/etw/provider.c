/* SPDX-License-Identifier: MIT */
/*
 * Registers providers with ETW, and keeps what their sessions want: the highest level and the
 * keywords, which ETW combines from all sessions of the provider and of its group. ETW filters for
 * each session, so a provider only decides if an event is written at all.
 */
#include "core/atomic.h"
#include "core/options.h"
#include "etw/sets.h"
#include "etw/traits.h"
#include "etw/typed.h"
#include "etw/write.h"
#include "eventheader/name.h"

#include <cairn/eventheader.h>
#include <cairn/eventheader_dynamic.h>
#include <errno.h>
#include <string.h>

#define LEVELS_ALL 256 /* above each of them */

/* Numbers of the enable callback, and of EventSetInformation. Not all versions of the headers have
 * names for them. */
enum etw_control { ETW_DISABLE = 0, ETW_ENABLE = 1, ETW_CAPTURE_STATE = 2 };
#define ETW_SET_TRAITS ((EVENT_INFO_CLASS)2)

enum etw_state { ETW_UNREGISTERED, ETW_REGISTERED };

static SRWLOCK *lock_of(struct cairn_provider *provider)
{
    _Static_assert(sizeof(SRWLOCK) == sizeof(provider->lock), "an SRWLOCK is a pointer");
    return (SRWLOCK *)(void *)&provider->lock;
}

/* ---- what the sessions want ---- */

/* The levels are the last to become larger and the first to become smaller, so that a thread that
 * reads during a change finds keywords that were wanted before or are wanted now. */
static void disable(struct cairn_provider *provider)
{
    core_store_release(&provider->levels, 0);
}

static void enable(struct cairn_provider *provider, uint8_t level, uint64_t any, uint64_t all)
{
    /* No keywords: all events, and the other mask is not used. */
    core_store_relaxed(&provider->keyword_any, any ? any : UINT64_MAX);
    core_store_relaxed(&provider->keyword_all, any ? all : 0);
    core_store_release(&provider->levels, level ? (uint32_t)level + 1 : LEVELS_ALL);
}

static void capture_state(struct cairn_provider *provider)
{
    if (!provider->capture_state)
        return;
    core_store_relaxed(&provider->callback_thread, (uint32_t)GetCurrentThreadId());
    provider->capture_state(provider->context);
    core_store_relaxed(&provider->callback_thread, 0);
}

static void NTAPI on_control(LPCGUID source, ULONG code, UCHAR level, ULONGLONG any, ULONGLONG all,
                             PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
    struct cairn_provider *provider = context;

    (void)source;
    (void)filter;
    if (code == ETW_DISABLE)
        disable(provider);
    else if (code == ETW_ENABLE)
        enable(provider, level, any, all);
    else if (code == ETW_CAPTURE_STATE)
        capture_state(provider);
    etw_sets_update(provider);
    etw_typed_update(provider);
}

/* True in a callback of the provider, which ETW waits for before it unregisters the provider. */
static bool is_in_callback(const struct cairn_provider *provider)
{
    return core_load_relaxed(&provider->callback_thread) == GetCurrentThreadId();
}

/* ---- registering ---- */

static int check(const struct cairn_provider *provider)
{
    const struct eventheader_provider_name name = {provider->name, NULL, NULL};

    if (!core_version_is_known(provider->version, CAIRN_I_PROVIDER_VERSION))
        return EPROTONOSUPPORT;
    return eventheader_provider_name_check(&name);
}

/* Its id: that which is given, or that of its name. */
static int find_ids(struct cairn_provider *provider, struct etw_guid *ret_id)
{
    struct cairn_guid of_name;
    struct etw_guid group;
    bool has_group = provider->group_id && *provider->group_id;

    if (has_group && !etw_guid_parse(provider->group_id, &group))
        return EINVAL;
    if (provider->id && *provider->id) {
        if (!etw_guid_parse(provider->id, ret_id))
            return EINVAL;
    } else {
        cairn_guid_from_name(provider->name, &of_name);
        etw_guid_convert(of_name.bytes, ret_id);
    }
    return etw_traits_write(provider->name, has_group ? &group : NULL, provider->traits,
                            sizeof(provider->traits))
               ? 0
               : E2BIG;
}

/* Events carry the traits themselves; without this ETW does not know the provider's group. */
static void set_traits(struct cairn_provider *provider, REGHANDLE handle)
{
#ifdef _WIN64
    (void)EventSetInformation(handle, ETW_SET_TRAITS, provider->traits,
                              etw_metadata_bytes(provider->traits));
#else
    /* The import libraries for 32 bits lack it. */
    typedef ULONG NTAPI set_information(REGHANDLE, EVENT_INFO_CLASS, PVOID, ULONG);
    HMODULE library = GetModuleHandleA("advapi32.dll");
    FARPROC found = library ? GetProcAddress(library, "EventSetInformation") : NULL;

    if (found)
        (void)((set_information *)(void *)found)(handle, ETW_SET_TRAITS, provider->traits,
                                                 etw_metadata_bytes(provider->traits));
#endif
}

static int register_id(struct cairn_provider *provider, const struct etw_guid *id)
{
    REGHANDLE handle = 0;
    GUID guid;
    ULONG result;

    memcpy(&guid, id->bytes, sizeof(guid));
    result = EventRegister(&guid, on_control, provider, &handle);
    if (result)
        return etw_error(result);
    core_store_release(&provider->handle, handle);
    set_traits(provider, handle);
    provider->state = ETW_REGISTERED;
    return 0;
}

int cairn_provider_register(struct cairn_provider *provider)
{
    struct etw_guid id;
    int error = check(provider);

    if (error)
        return error;
    if (is_in_callback(provider))
        return EDEADLK;
    error = EALREADY;
    AcquireSRWLockExclusive(lock_of(provider));
    if (provider->state == ETW_UNREGISTERED) {
        error = find_ids(provider, &id);
        if (!error)
            error = register_id(provider, &id);
    }
    ReleaseSRWLockExclusive(lock_of(provider));
    return error;
}

int cairn_provider_unregister(struct cairn_provider *provider)
{
    int error = ENOENT;

    if (is_in_callback(provider))
        return EDEADLK;
    AcquireSRWLockExclusive(lock_of(provider));
    if (provider->state == ETW_REGISTERED) {
        REGHANDLE handle = provider->handle;

        core_store_release(&provider->handle, 0);
        error = etw_error(EventUnregister(handle));
        disable(provider);
        etw_sets_update(provider);
        etw_typed_update(provider);
        provider->state = ETW_UNREGISTERED;
    }
    ReleaseSRWLockExclusive(lock_of(provider));
    return error;
}

int cairn_provider_on_capture_state(struct cairn_provider *provider,
                                    void (*callback)(void *context), void *context)
{
    int error = EALREADY;

    AcquireSRWLockExclusive(lock_of(provider));
    if (provider->state == ETW_UNREGISTERED) {
        provider->capture_state = callback;
        provider->context = context;
        error = 0;
    }
    ReleaseSRWLockExclusive(lock_of(provider));
    return error;
}

void cairn_i_provider_unload(struct cairn_provider *provider)
{
    (void)cairn_provider_unregister(provider);
}
