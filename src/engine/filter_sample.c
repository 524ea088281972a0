/* SPDX-License-Identifier: MIT */
/* Sampling: counts and tokens of a thread for the rules of a session, in a cell. */
#include "engine/filter_sample.h"
#include "os/clock.h"

#define SECOND_NS UINT64_C(1000000000)

/* State of a rule. */
struct sampled {
    uint64_t filled_ns; /* when tokens were added; 0: never */
    uint32_t selected;  /* events so far */
    uint32_t tokens;
};

struct samples {
    struct sampled rules[ENGINE_FILTER_RULES_MAX];
};

_Static_assert(sizeof(struct samples) <= ENGINE_CELL_BYTES, "a cell");

/* A signal handler may take one at any instruction: then that is used. */
static struct samples *samples_of(struct engine_thread_session *ts)
{
    uint16_t none = 0;
    void *cell;

    if (ts->samples)
        return engine_cell_at(ts->samples);
    cell = engine_cell_take();
    if (cell &&
        !core_compare_exchange_relaxed(&ts->samples, &none, (uint16_t)engine_cell_number(cell))) {
        engine_cell_give(cell);
        cell = engine_cell_at(none);
    }
    return cell;
}

void engine_sample_forget(struct engine_thread_session *ts)
{
    if (ts->samples)
        engine_cell_give(engine_cell_at(ts->samples));
    ts->samples = 0;
}

/* A bucket of as many tokens as a second has: a thread that was quiet may write them at once. */
static bool take_token(struct sampled *s, uint32_t rate)
{
    uint64_t now_ns = os_clock_ns();
    uint64_t passed_ns = now_ns - s->filled_ns;
    uint64_t more;

    if (!s->filled_ns || passed_ns >= SECOND_NS) {
        s->tokens = rate;
        s->filled_ns = now_ns;
    } else {
        more = passed_ns * rate / SECOND_NS;
        s->tokens = more < rate - s->tokens ? s->tokens + (uint32_t)more : rate;
        s->filled_ns += more * SECOND_NS / rate; /* the rest counts for the next token */
    }
    if (!s->tokens)
        return false;
    s->tokens--;
    return true;
}

bool engine_sample(struct engine_thread_session *ts, const struct engine_filter_rule *rule)
{
    struct samples *samples;
    struct sampled *s;

    if (!rule->every && !rule->rate)
        return true;
    samples = samples_of(ts);
    if (!samples)
        return true;
    s = &samples->rules[rule->number];
    if (rule->every && s->selected++ % rule->every)
        return false;
    return !rule->rate || take_token(s, rule->rate);
}
