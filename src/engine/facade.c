/* SPDX-License-Identifier: MIT */
/* The filter of this process's facade, in its process file. */
#include "engine/facade.h"

#include "core/atomic.h"
#include "engine/engine.h"

#include <string.h>

/* Under the engine's lock. */
static struct {
    struct cairn_tracepoint *gate; /* NULL: no facade */
    struct engine_facade *shared;
    uint32_t last; /* the number of the request that was taken last */
} self;

static void point_gate(void)
{
    core_store_relaxed(&self.gate->enabled,
                       &self.shared->bells[(self.last + 1) % ENGINE_FACADE_BELLS]);
}

/* ---- showing the filter in force ---- */

/* Readers compare `shown` before and after they copied the text. */
static void write_text(struct engine_facade *shared, const char *text)
{
    size_t length = strnlen(text, sizeof(shared->text));
    uint32_t shown = core_load_relaxed(&shared->shown) | 1;

    core_store_relaxed(&shared->shown, shown);
    core_fence_release();
    if (length == sizeof(shared->text)) {
        memcpy(shared->text, text, length);
        memcpy(shared->text + length - 4, "...", 4);
    } else {
        memcpy(shared->text, text, length + 1);
    }
    core_store_release(&shared->shown, shown + 1);
}

void engine_facade_show(const char *text)
{
    engine_lock_state lock_state;

    engine_lock(&lock_state);
    if (self.gate) {
        if (text)
            write_text(self.shared, text);
        core_store_release(&self.shared->is_open, text != NULL);
    }
    engine_unlock(&lock_state);
}

/* ---- beginning ---- */

static void join(struct engine_process_file *file)
{
    self.shared = &file->facade;
    self.last = core_load_relaxed(&file->facade.request) / 2;
    point_gate();
}

int engine_facade_open(struct cairn_tracepoint *gate)
{
    struct engine *e = &engine_self;
    engine_lock_state lock_state;
    int error;

    engine_lock(&lock_state);
    engine_check_process();
    error = self.gate ? 0 : engine_attach();
    if (!error && !self.gate && e->is_inherited)
        error = engine_leave_parents_file(false);
    if (!error && !self.gate) {
        self.gate = gate;
        join(e->process);
    }
    engine_unlock(&lock_state);
    return error;
}

void engine_facade_move(struct engine_process_file *file)
{
    const struct engine_facade *before = self.shared;
    char text[sizeof(before->text)];

    if (!self.gate)
        return;
    memcpy(text, before->text, sizeof(text));
    text[sizeof(text) - 1] = 0;
    write_text(&file->facade, text);
    core_store_release(&file->facade.is_open, core_load_relaxed(&before->is_open));
    join(file);
}

/* ---- requests ---- */

/* A bell without a request is of somebody who ended before writing one, or who means harm. */
static void silence_bell(uint32_t number)
{
    core_store_relaxed(&self.shared->bells[(number + 1) % ENGINE_FACADE_BELLS], 0);
}

bool engine_facade_take(char text[ENGINE_FACADE_TEXT_BYTES], uint32_t *ret_number)
{
    engine_lock_state lock_state;
    bool is_taken = false;
    uint32_t request;

    engine_lock(&lock_state);
    request = self.gate ? core_load_acquire(&self.shared->request) : 0;
    if (self.gate && request / 2 == self.last && !(request & 1)) {
        silence_bell(self.last);
    } else if (self.gate && !(request & 1)) {
        memcpy(text, self.shared->request_text, ENGINE_FACADE_TEXT_BYTES);
        text[ENGINE_FACADE_TEXT_BYTES - 1] = 0;
        core_fence_acquire();
        is_taken = core_load_relaxed(&self.shared->request) == request;
    }
    engine_unlock(&lock_state);
    if (is_taken)
        *ret_number = request / 2;
    return is_taken;
}

void engine_facade_answer(uint32_t number, int error, size_t at)
{
    engine_lock_state lock_state;

    engine_lock(&lock_state);
    core_store_relaxed(&self.shared->error, (uint32_t)error);
    core_store_relaxed(&self.shared->error_at, (uint32_t)at);
    core_store_release(&self.shared->taken, number);
    engine_unlock(&lock_state);
}

void engine_facade_finish(uint32_t number)
{
    engine_lock_state lock_state;

    engine_lock(&lock_state);
    self.last = number;
    point_gate();
    engine_unlock(&lock_state);
}
