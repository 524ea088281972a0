/* SPDX-License-Identifier: MIT */
/*
 * Prints the dishes that kitchens serve, by a BPF program (dishes.bpf.c), while a command runs:
 *
 *     dishes kitchen 3
 *
 * This program also contains the tracepoints of kitchen.h, so the kernel's events exist when it
 * starts. It needs the privileges for perf and BPF.
 */
#include "../kitchen.h"
#include "dish.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ID_FILE "/sys/kernel/tracing/events/user_events/kitchen_dish_served/id"

static int read_id(uint32_t *ret_id)
{
    FILE *file = fopen(ID_FILE, "re");
    char text[16] = "";

    if (!file)
        return errno;
    *ret_id = fgets(text, sizeof(text), file) ? (uint32_t)strtoul(text, NULL, 10) : 0;
    (void)fclose(file);
    return *ret_id ? 0 : EBADMSG;
}

/* perf gets an event on the CPUs where it is being counted. Counts until this program ends. */
static int count_everywhere(uint32_t id)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id};

    for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++) {
        if (syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC) < 0 &&
            errno != ENODEV)
            return errno;
    }
    return 0;
}

/* Sets the BPF program's one constant: the id of the event. */
static int load(struct bpf_object *object, uint32_t id)
{
    struct bpf_program *program = bpf_object__find_program_by_name(object, "on_event");
    struct bpf_map *constants = bpf_object__find_map_by_name(object, ".rodata");
    int error;

    if (!program || !constants)
        return ENOENT;
    error = bpf_map__set_initial_value(constants, &id, sizeof(id));
    if (!error)
        error = bpf_object__load(object);
    if (!error && !bpf_program__attach(program))
        error = -errno;
    return -error;
}

static int print(void *context, void *data, size_t size)
{
    const struct dish *dish = data;

    (void)context;
    (void)size;
    (void)printf("table %u: %s, %u g (%s)\n", dish->table, dish->name, dish->grams, dish->program);
    return 0;
}

static int run(struct bpf_object *object, char **command)
{
    struct bpf_map *map = bpf_object__find_map_by_name(object, "dishes");
    struct ring_buffer *ring = ring_buffer__new(bpf_map__fd(map), print, NULL, NULL);
    pid_t child;
    int status;

    if (!ring)
        return errno;
    child = fork();
    if (!child) {
        (void)execvp(command[0], command);
        _exit(127);
    }
    while (child > 0 && !waitpid(child, &status, WNOHANG))
        (void)ring_buffer__poll(ring, 10);
    (void)ring_buffer__consume(ring);
    ring_buffer__free(ring);
    return child < 0 ? errno : 0;
}

int main(int argc, char **argv)
{
    struct bpf_object *object;
    uint32_t id = 0;
    int error;

    if (argc < 2) {
        (void)fprintf(stderr, "usage: dishes COMMAND [ARG...]\n");
        return 2;
    }
    object = bpf_object__open(DISHES_OBJECT);
    error = object ? read_id(&id) : errno;
    if (!error)
        error = count_everywhere(id);
    if (!error)
        error = load(object, id);
    if (!error)
        error = run(object, argv + 1);
    if (error)
        (void)fprintf(stderr, "dishes: %s\n", strerror(error));
    bpf_object__close(object);
    return error ? 1 : 0;
}
