/* SPDX-License-Identifier: MIT */
/* A BPF program that handles the event kitchen_dish_served of kitchen.h. The kernel does not run
 * programs that are attached to a user event, but each event passes through perf_tp_event to
 * perf. */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "dish.h"

#define INGREDIENTS_MAX 16

/* bpf_probe_read_kernel requires a GPL-compatible licence. */
char terms[] SEC("license") = "Dual MIT/GPL";

/* As `cairn register --bpf` writes it. */
struct kitchen_dish_served_event {
    unsigned char common[8];
    unsigned int table;
    unsigned int course;
    unsigned int name;  /* __data_loc char[] */
    unsigned int grams; /* __data_loc u16[] */
} __attribute__((packed));

const volatile __u32 dish_served_id;

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 64 * 1024);
} dishes SEC(".maps");

/* A dynamic field is its length << 16 | its offset from the start of the event. */
static __u32 sum_of(const void *event, __u32 field)
{
    __u32 count = (field >> 16) / sizeof(__u16);
    __u32 sum = 0;

    for (__u32 i = 0; i < INGREDIENTS_MAX && i < count; i++) {
        __u16 grams = 0;

        bpf_probe_read_kernel(&grams, sizeof(grams), event + (field & 0xffff) + i * sizeof(__u16));
        sum += grams;
    }
    return sum;
}

SEC("kprobe/perf_tp_event")
int BPF_KPROBE(on_event, __u64 id, __u64 count, const void *event)
{
    struct kitchen_dish_served_event served;
    struct dish *dish;

    if ((__u16)id != dish_served_id || bpf_probe_read_kernel(&served, sizeof(served), event))
        return 0;
    dish = bpf_ringbuf_reserve(&dishes, sizeof(*dish), 0);
    if (!dish)
        return 0;
    dish->table = served.table;
    dish->grams = sum_of(event, served.grams);
    bpf_probe_read_kernel_str(dish->name, sizeof(dish->name), event + (served.name & 0xffff));
    bpf_get_current_comm(dish->program, sizeof(dish->program));
    bpf_ringbuf_submit(dish, 0);
    return 0;
}
