/* SPDX-License-Identifier: MIT */
/*
 * A kitchen with typed tracepoints, which kitchen.h defines; docs/tracepoints.md explains them.
 *
 *     cairn record -e 'kitchen_*' -- kitchen 3
 */
#include "kitchen.h"

#include <stdlib.h>

static void serve(uint32_t table)
{
    static const uint16_t soup[] = {200, 80, 5};
    static const uint16_t cake[] = {90, 60};

    trace_table_taken(table);
    trace_dish_served(table, STARTER, "soup", soup, 3);
    trace_dish_served(table, DESSERT, "cake", cake, 2);
    trace_table_paid(table);
}

int main(int argc, char **argv)
{
    uint32_t tables = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;

    for (uint32_t table = 1; table <= tables; table++)
        serve(table);
    return 0;
}
