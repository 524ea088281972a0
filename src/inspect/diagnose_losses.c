/* SPDX-License-Identifier: MIT */
/* Diagnosis of the running sessions: their losses so far, and the causes. */
#include "core/atomic.h"
#include "engine/sweep.h"
#include "inspect/diagnosis.h"
#include "inspect/inspection.h"

#include <inttypes.h>
#include <string.h>

static void report_losses(struct cairn_diagnosis *diagnosis,
                          const struct cairn_inspected_session *session)
{
    char number[CAIRN_NUMBER_TEXT_BYTES];

    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
        uint64_t lost = session->lost_by_cause[cause];

        if (lost)
            inspect_problem(diagnosis, "losses", "recorder %" PRIu32 " lost %s event%s so far: %s",
                            session->pid, cairn_number_text(lost, number), lost == 1 ? "" : "s",
                            cairn_loss_text((enum cairn_loss)cause));
    }
}

static void report_refused(struct cairn_diagnosis *diagnosis,
                           const struct engine_registry_file *registry)
{
    uint32_t refused = core_load_acquire(&registry->refused);

    if (refused)
        inspect_problem(diagnosis, "refused",
                        "%" PRIu32 " process%s could not register events since this directory was "
                        "created; the last error: %s",
                        refused, refused == 1 ? "" : "es", strerror((int)registry->refused_error));
}

void inspect_diagnose_losses(struct cairn_diagnosis *diagnosis, struct engine_registry *local)
{
    struct inspect_sessions sessions;
    int error;

    report_refused(diagnosis, local->registry);
    /* Sessions whose recorder was killed are removed. */
    if (!engine_registry_try_lock(local)) {
        engine_registry_sweep(local);
        engine_registry_unlock(local);
    }
    error = inspect_sessions_read(local, &sessions);
    if (error)
        diagnosis->error = error;
    for (uint32_t i = 0; i < sessions.session_count; i++)
        report_losses(diagnosis, &sessions.sessions[i].shown);
    inspect_sessions_free(&sessions);
}
