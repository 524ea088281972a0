/* SPDX-License-Identifier: MIT */
/*
 * Static keys: counts, and the election of the CPU that patches. No CPU waits for another: a change
 * is pushed onto a list, and a CPU that finds no other patching takes the whole list, a round,
 * until the list is empty.
 */
#include "core/atomic.h"
#include "core/errno.h"
#include "kernel/static_key_batch.h"
#include "kernel/static_key_text.h"

static int check_site(const struct cairn_static_branch *site)
{
    struct kernel_site_text nop = {0};
    struct kernel_site_text jump = {0};
    uint8_t *code = kernel_site_code(site);
    int err = kernel_site_encode(site, false, &nop);

    if (!err)
        err = kernel_site_encode(site, true, &jump);
    if (err)
        return err;
    if ((uintptr_t)code % KERNEL_SITE_ALIGN)
        return EBADMSG;
    if (__builtin_memcmp(code, nop.bytes, sizeof(nop)) != 0 &&
        __builtin_memcmp(code, jump.bytes, sizeof(jump)) != 0)
        return EBADMSG;
    return 0;
}

static int check_sites(const struct cairn_static_key_host *host,
                       const struct cairn_static_branch *start,
                       const struct cairn_static_branch *stop)
{
    int err = 0;

    if (start == stop)
        return 0;
    if (((uintptr_t)stop - (uintptr_t)start) % sizeof(*start))
        return EBADMSG;
    if (!host || !host->write_text || !host->sync_cores)
        return EOPNOTSUPP;
    for (const struct cairn_static_branch *site = start; site != stop && !err; site++)
        err = check_site(site);
    return err;
}

static void push(struct cairn_static_keys *keys, struct cairn_static_key *key)
{
    struct cairn_static_key *first = core_load_relaxed(&keys->pending);

    /* Pairs with take_pending: the count was changed before this, and is read after that. */
    if (core_exchange_acq_rel(&key->queued, 1))
        return;
    do {
        key->next = first;
    } while (!core_compare_exchange_release(&keys->pending, &first, key));
}

/* The wanted state of a key is fixed for the round here: counts may change during the round. */
static void take_pending(struct cairn_static_keys *keys)
{
    struct cairn_static_key *key = core_exchange_acquire(&keys->pending, NULL);
    struct cairn_static_key *next;

    keys->round++;
    for (; key; key = next) {
        next = key->next; /* the key may be pushed again from here on */
        core_exchange_acq_rel(&key->queued, 0);
        core_store_relaxed(&key->wanted, cairn_static_key_is_enabled(key));
        core_store_relaxed(&key->error, 0);
        key->round = keys->round;
    }
    /* A CPU that traps in this round finds the wanted state. */
    core_fence_release();
}

bool kernel_static_keys_patch(struct cairn_static_keys *keys)
{
    bool patched = false;

    /*
     * A key that was pushed during patching is seen by that CPU after it has cleared `patching`, or
     * here: both exchange `patching`, and one exchange is first.
     */
    while (core_load_relaxed(&keys->pending)) {
        if (core_exchange_acq_rel(&keys->patching, 1))
            break;
        take_pending(keys);
        kernel_sites_patch(keys);
        core_exchange_acq_rel(&keys->patching, 0);
        patched = true;
    }
    return patched;
}

bool kernel_sites_step(struct cairn_static_keys *keys, kernel_site_step *step)
{
    struct kernel_site_text text;
    bool any = false;

    for (const struct cairn_static_branch *site = keys->start; site != keys->stop; site++) {
        struct cairn_static_key *key = kernel_site_key(site);
        int err;

        if (key->round != keys->round)
            continue;
        any = true;
        err = kernel_site_encode(site, key->wanted, &text);
        if (!err)
            err = step(keys->host, kernel_site_code(site), &text);
        if (err)
            core_store_relaxed(&key->error, err);
    }
    return any;
}

int cairn_static_keys_init(struct cairn_static_keys *keys, const struct cairn_static_key_host *host,
                           const struct cairn_static_branch *start,
                           const struct cairn_static_branch *stop)
{
    int err = check_sites(host, start, stop);

    if (err)
        return err;
    *keys = (struct cairn_static_keys){.host = host, .start = start, .stop = stop, .ready = true};
    for (const struct cairn_static_branch *site = start; site != stop; site++)
        push(keys, kernel_site_key(site));
    (void)kernel_static_keys_patch(keys);
    for (const struct cairn_static_branch *site = start; site != stop && !err; site++)
        err = kernel_site_key(site)->error;
    return err;
}

/* Increments or decrements the count. `ret_turned`: the key became enabled, or disabled. */
static int count(struct cairn_static_key *key, bool enable, bool *ret_turned)
{
    uint32_t old = core_load_relaxed(&key->count);

    do {
        if (!enable && old == 0)
            return EINVAL;
        if (enable && old == UINT32_MAX)
            return E2BIG;
    } while (!core_compare_exchange_relaxed(&key->count, &old, enable ? old + 1 : old - 1));
    *ret_turned = old == (enable ? 0 : 1);
    return 0;
}

bool kernel_static_key_is_stranded(const struct cairn_static_keys *keys,
                                   const struct cairn_static_key *key,
                                   const struct cairn_static_branch *start,
                                   const struct cairn_static_branch *stop)
{
    if (keys->start <= start && keys->stop >= stop)
        return false; /* the usual case: all of them */
    for (; start != stop; start++) {
        if ((start < keys->start || start >= keys->stop) && kernel_site_key(start) == key)
            return true;
    }
    return false;
}

int kernel_static_key_queue(struct cairn_static_keys *keys, struct cairn_static_key *key,
                            bool enable)
{
    bool turned;
    int err = count(key, enable, &turned);

    /* A previous error: another CPU patched, or the change could not be undone. */
    if (!err && (turned || core_load_relaxed(&key->error)))
        push(keys, key);
    return err;
}

int kernel_static_key_finish(struct cairn_static_keys *keys, struct cairn_static_key *key,
                             bool enable, bool patched)
{
    int err = patched ? core_load_relaxed(&key->error) : 0;

    if (err && !kernel_static_key_queue(keys, key, !enable))
        (void)kernel_static_keys_patch(keys);
    return err;
}

static int change(struct cairn_static_keys *keys, struct cairn_static_key *key, bool enable)
{
    int err = kernel_static_key_queue(keys, key, enable);

    if (!err)
        err = kernel_static_key_finish(keys, key, enable, kernel_static_keys_patch(keys));
    return err || keys->ready ? err : EINPROGRESS;
}

int cairn_static_keys_enable(struct cairn_static_keys *keys, struct cairn_static_key *key)
{
    return change(keys, key, true);
}

int cairn_static_keys_disable(struct cairn_static_keys *keys, struct cairn_static_key *key)
{
    return change(keys, key, false);
}
