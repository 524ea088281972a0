/* SPDX-License-Identifier: MIT */
/*
 * Static keys: counts, and who patches. Nobody waits for anybody: a change is pushed onto a list,
 * and whoever finds nobody patching takes the whole list, a round, until there is none left.
 */
#include "kernel/static_key_batch.h"
#include "kernel/static_key_text.h"

#include "core/errno.h"

static int check_site(const struct cairn_static_branch *site)
{
    struct cairn_i_site_text nop = {0};
    struct cairn_i_site_text jump = {0};
    uint8_t *code = cairn_i_site_code(site);
    int err = cairn_i_site_encode(site, false, &nop);

    if (!err)
        err = cairn_i_site_encode(site, true, &jump);
    if (err)
        return err;
    if ((uintptr_t)code % CAIRN_I_SITE_ALIGN)
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
    struct cairn_static_key *first = __atomic_load_n(&keys->pending, __ATOMIC_RELAXED);

    /* Pairs with take_pending: the count was changed before this, and is read after that. */
    if (__atomic_exchange_n(&key->queued, 1, __ATOMIC_ACQ_REL))
        return;
    do {
        key->next = first;
    } while (!__atomic_compare_exchange_n(&keys->pending, &first, key, false, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
}

/* What a round makes of a key is settled here: counts may change while it lasts. */
static void take_pending(struct cairn_static_keys *keys)
{
    struct cairn_static_key *key = __atomic_exchange_n(&keys->pending, NULL, __ATOMIC_ACQUIRE);
    struct cairn_static_key *next;

    keys->round++;
    for (; key; key = next) {
        next = key->next; /* the key may be pushed again from here on */
        __atomic_exchange_n(&key->queued, 0, __ATOMIC_ACQ_REL);
        __atomic_store_n(&key->wanted, cairn_static_key_is_enabled(key), __ATOMIC_RELAXED);
        __atomic_store_n(&key->error, 0, __ATOMIC_RELAXED);
        key->round = keys->round;
    }
    /* A CPU that traps in this round finds what is wanted. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

bool cairn_i_static_keys_patch(struct cairn_static_keys *keys)
{
    bool patched = false;

    /* What was pushed while somebody patched is seen there, after patching has become 0, or here:
     * both exchange `patching`, and one of them comes first. */
    while (__atomic_load_n(&keys->pending, __ATOMIC_RELAXED)) {
        if (__atomic_exchange_n(&keys->patching, 1, __ATOMIC_ACQ_REL))
            break;
        take_pending(keys);
        cairn_i_sites_patch(keys);
        __atomic_exchange_n(&keys->patching, 0, __ATOMIC_ACQ_REL);
        patched = true;
    }
    return patched;
}

bool cairn_i_sites_step(struct cairn_static_keys *keys, cairn_i_site_step *step)
{
    struct cairn_i_site_text text;
    bool any = false;

    for (const struct cairn_static_branch *site = keys->start; site != keys->stop; site++) {
        struct cairn_static_key *key = cairn_i_site_key(site);
        int err;

        if (key->round != keys->round)
            continue;
        any = true;
        err = cairn_i_site_encode(site, key->wanted, &text);
        if (!err)
            err = step(keys->host, cairn_i_site_code(site), &text);
        if (err)
            __atomic_store_n(&key->error, err, __ATOMIC_RELAXED);
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
        push(keys, cairn_i_site_key(site));
    (void)cairn_i_static_keys_patch(keys);
    for (const struct cairn_static_branch *site = start; site != stop && !err; site++)
        err = cairn_i_site_key(site)->error;
    return err;
}

/* Adds one to the count, or takes one off. `ret_turned`: the key became enabled, or disabled. */
static int count(struct cairn_static_key *key, bool enable, bool *ret_turned)
{
    uint32_t old = __atomic_load_n(&key->count, __ATOMIC_RELAXED);

    do {
        if (!enable && old == 0)
            return EINVAL;
        if (enable && old == UINT32_MAX)
            return E2BIG;
    } while (!__atomic_compare_exchange_n(&key->count, &old, enable ? old + 1 : old - 1, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    *ret_turned = old == (enable ? 0 : 1);
    return 0;
}

bool cairn_i_static_key_is_stranded(const struct cairn_static_keys *keys,
                                    const struct cairn_static_key *key,
                                    const struct cairn_static_branch *start,
                                    const struct cairn_static_branch *stop)
{
    if (keys->start <= start && keys->stop >= stop)
        return false; /* the usual case: all of them */
    for (; start != stop; start++) {
        if ((start < keys->start || start >= keys->stop) && cairn_i_site_key(start) == key)
            return true;
    }
    return false;
}

int cairn_i_static_key_queue(struct cairn_static_keys *keys, struct cairn_static_key *key,
                             bool enable)
{
    bool turned;
    int err = count(key, enable, &turned);

    /* An error of last time: somebody else patched, or could not even undo. */
    if (!err && (turned || __atomic_load_n(&key->error, __ATOMIC_RELAXED)))
        push(keys, key);
    return err;
}

int cairn_i_static_key_finish(struct cairn_static_keys *keys, struct cairn_static_key *key,
                              bool enable, bool patched)
{
    int err = patched ? __atomic_load_n(&key->error, __ATOMIC_RELAXED) : 0;

    if (err && !cairn_i_static_key_queue(keys, key, !enable))
        (void)cairn_i_static_keys_patch(keys);
    return err;
}

static int change(struct cairn_static_keys *keys, struct cairn_static_key *key, bool enable)
{
    int err = cairn_i_static_key_queue(keys, key, enable);

    if (!err)
        err = cairn_i_static_key_finish(keys, key, enable, cairn_i_static_keys_patch(keys));
    return err || keys->ready ? err : EINPROGRESS;
}

int cairn_static_key_enable(struct cairn_static_keys *keys, struct cairn_static_key *key)
{
    return change(keys, key, true);
}

int cairn_static_key_disable(struct cairn_static_keys *keys, struct cairn_static_key *key)
{
    return change(keys, key, false);
}
