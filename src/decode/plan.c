/* SPDX-License-Identifier: MIT */
/* Creates and destroys layouts of events. */
#include "decode/plan.h"

#include <errno.h>
#include <stdlib.h>

int cairn_plan_create(uint32_t identity_bytes, struct cairn_plan **ret_plan)
{
    struct cairn_plan *plan = (struct cairn_plan *)calloc(1, sizeof(*plan));

    if (plan)
        plan->identity = (char *)malloc(identity_bytes + 1u);
    if (!plan || !plan->identity) {
        cairn_plan_destroy(plan);
        return ENOMEM;
    }
    plan->identity_bytes = identity_bytes;
    *ret_plan = plan;
    return 0;
}

void cairn_plan_destroy(struct cairn_plan *plan)
{
    if (!plan)
        return;
    free(plan->fields);
    free(plan->texts);
    free(plan->identity);
    free(plan);
}

int cairn_plan_add(struct cairn_plan *plan, struct cairn_plan_field **ret_field)
{
    struct cairn_plan_field *field;

    if (plan->field_count == plan->field_max) {
        uint32_t max = plan->field_max ? 2 * plan->field_max : 8;
        void *fields = realloc(plan->fields, max * sizeof(*plan->fields));

        if (!fields)
            return ENOMEM;
        plan->fields = (struct cairn_plan_field *)fields;
        plan->field_max = max;
    }
    field = &plan->fields[plan->field_count++];
    *field = (struct cairn_plan_field){.end = plan->field_count};
    *ret_field = field;
    return 0;
}
