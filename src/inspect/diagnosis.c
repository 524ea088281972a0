/* SPDX-License-Identifier: MIT */
/* The interface of a diagnosis, and its list of findings. */
#include "inspect/diagnosis.h"
#include "user_events/backend.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- findings ---- */

static char *print(struct cairn_diagnosis *diagnosis, const char *format, va_list arguments)
{
    char *text;

    if (vasprintf(&text, format, arguments) >= 0)
        return text;
    diagnosis->error = ENOMEM;
    return NULL;
}

static void append(struct cairn_diagnosis *diagnosis, enum cairn_severity severity,
                   const char *subject, const char *text)
{
    void *more = text ? reallocarray(diagnosis->findings, (size_t)diagnosis->count + 1,
                                     sizeof(*diagnosis->findings))
                      : NULL;

    if (!more) {
        free((void *)text);
        diagnosis->error = ENOMEM;
        return;
    }
    diagnosis->findings = (struct cairn_finding *)more;
    diagnosis->findings[diagnosis->count++] =
        (struct cairn_finding){.severity = severity, .subject = subject, .text = text};
}

void inspect_fine(struct cairn_diagnosis *diagnosis, const char *subject, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    append(diagnosis, CAIRN_SEVERITY_FINE, subject, print(diagnosis, format, arguments));
    va_end(arguments);
}

void inspect_problem(struct cairn_diagnosis *diagnosis, const char *subject, const char *format,
                     ...)
{
    va_list arguments;

    va_start(arguments, format);
    append(diagnosis, CAIRN_SEVERITY_PROBLEM, subject, print(diagnosis, format, arguments));
    va_end(arguments);
}

void inspect_advise(struct cairn_diagnosis *diagnosis, const char *format, ...)
{
    va_list arguments;

    if (diagnosis->error)
        return; /* the finding may be missing */
    va_start(arguments, format);
    diagnosis->findings[diagnosis->count - 1].advice = print(diagnosis, format, arguments);
    va_end(arguments);
}

/* ---- names ---- */

#define ENTRY_BYTES 4096

const char *inspect_user_name(char text[INSPECT_NAME_BYTES])
{
    struct passwd entry;
    struct passwd *found = NULL;
    char memory[ENTRY_BYTES];

    if (getpwuid_r(geteuid(), &entry, memory, sizeof(memory), &found) || !found)
        (void)snprintf(text, INSPECT_NAME_BYTES, "%u", geteuid());
    else
        (void)snprintf(text, INSPECT_NAME_BYTES, "%s", entry.pw_name);
    return text;
}

const char *inspect_group_name(gid_t group, char text[INSPECT_NAME_BYTES])
{
    struct group entry;
    struct group *found = NULL;
    char memory[ENTRY_BYTES];

    if (getgrgid_r(group, &entry, memory, sizeof(memory), &found) || !found)
        (void)snprintf(text, INSPECT_NAME_BYTES, "%u", group);
    else
        (void)snprintf(text, INSPECT_NAME_BYTES, "%s", entry.gr_name);
    return text;
}

/* ---- the interface ---- */

static void examine_backends(struct cairn_diagnosis *diagnosis,
                             const struct user_events_choice *choice)
{
    static const struct {
        uint32_t backend; /* enum cairn_backend */
        bool (*diagnose)(struct cairn_diagnosis *diagnosis);
    } backends[] = {
        {CAIRN_BACKEND_LOCAL, inspect_diagnose_local},
        {CAIRN_BACKEND_KERNEL, inspect_diagnose_kernel},
    };

    for (size_t n = 0; n < sizeof(backends) / sizeof(*backends); n++) {
        if (backends[n].diagnose(diagnosis))
            diagnosis->backends |= choice->backends & backends[n].backend;
    }
}

static void examine_choice(struct cairn_diagnosis *diagnosis,
                           const struct user_events_choice *choice)
{
    const char *value = secure_getenv("CAIRN_BACKEND");
    char text[96];

    (void)snprintf(text, sizeof(text), "CAIRN_BACKEND=%.40s%s", value ? value : "auto",
                   value && *value ? "" : " (the default)");
    if (choice->unknown) {
        inspect_problem(diagnosis, "choice", "%s", text);
        inspect_advise(diagnosis, "set it to auto (used now), kernel, local, both or none");
    } else if (!diagnosis->backends && choice->backends != USER_EVENTS_BACKENDS) {
        inspect_problem(diagnosis, "choice", "%s", text);
        inspect_advise(diagnosis, "unset CAIRN_BACKEND: another backend may work");
    } else {
        inspect_fine(diagnosis, "choice", "%s", text);
    }
}

int cairn_diagnosis_create(struct cairn_diagnosis **ret_diagnosis)
{
    struct cairn_diagnosis *diagnosis = (struct cairn_diagnosis *)calloc(1, sizeof(*diagnosis));
    struct user_events_choice choice = user_events_choice_of_user();
    int error;

    if (!diagnosis)
        return ENOMEM;
    examine_backends(diagnosis, &choice);
    inspect_diagnose_tracepoints(diagnosis);
    examine_choice(diagnosis, &choice);
    error = diagnosis->error;
    if (error) {
        cairn_diagnosis_destroy(diagnosis);
        return error;
    }
    *ret_diagnosis = diagnosis;
    return 0;
}

void cairn_diagnosis_destroy(struct cairn_diagnosis *diagnosis)
{
    if (!diagnosis)
        return;
    for (uint32_t i = 0; i < diagnosis->count; i++) {
        free((void *)diagnosis->findings[i].text);
        free((void *)diagnosis->findings[i].advice);
    }
    free(diagnosis->findings);
    free(diagnosis);
}

uint32_t cairn_diagnosis_backends(const struct cairn_diagnosis *diagnosis)
{
    return diagnosis->backends;
}

uint32_t cairn_diagnosis_finding_count(const struct cairn_diagnosis *diagnosis)
{
    return diagnosis->count;
}

const struct cairn_finding *cairn_diagnosis_finding(const struct cairn_diagnosis *diagnosis,
                                                    uint32_t index)
{
    return index < diagnosis->count ? &diagnosis->findings[index] : NULL;
}
