/* SPDX-License-Identifier: MIT */
/* Memory for the spans that are open when a recorder begins. */
#include "tracing/reserve.h"

#include "core/atomic.h"
#include "eventheader/builder.h"

/* Texts of one span that others may be changing: more than an event can have. */
#define SCRATCH_BYTES 65536u

static struct {
    uint32_t user; /* the process of the thread that uses it; 0: none */
    struct cairn_builder *builder;
    struct tracing_scratch *scratch;
    struct cairn_builder *own_builder; /* of that thread */
    struct tracing_scratch *own_scratch;
} reserve;

void tracing_reserve_prepare(void)
{
    struct cairn_builder *builder;

    if (reserve.builder || cairn_builder_create(&builder))
        return;
    reserve.scratch = tracing_scratch_make(SCRATCH_BYTES);
    if (!reserve.scratch || eventheader_builder_reserve(builder)) {
        tracing_scratch_destroy(reserve.scratch);
        cairn_builder_destroy(builder);
        return;
    }
    /* Pairs with the acquire in taking. */
    core_store_release(&reserve.builder, builder);
}

/* A thread that had it during a fork does not exist in the child. */
static bool lock(void)
{
    const uint32_t process = tracing_process_id();
    uint32_t user = core_load_relaxed(&reserve.user);

    return user != process && core_compare_exchange_acquire(&reserve.user, &user, process);
}

bool tracing_reserve_take(struct tracing_thread *thread)
{
    if (!core_load_acquire(&reserve.builder) || !lock())
        return false;
    reserve.own_builder = thread->builder;
    reserve.own_scratch = thread->scratch;
    thread->builder = reserve.builder;
    thread->scratch = reserve.scratch;
    thread->may_not_allocate = true;
    return true;
}

void tracing_reserve_give(struct tracing_thread *thread)
{
    thread->may_not_allocate = false;
    thread->builder = reserve.own_builder;
    thread->scratch = reserve.own_scratch;
    core_store_release(&reserve.user, 0);
}
