/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a CTF trace: in the language TSDL of CTF 1.8, or in JSON of CTF 2. What is
 * written has the layout of the bytes that ctf.c writes:
 *
 *   packet  magic, stream; begin, end, content, size, lost; events
 *   event   id, time; cpu, pid, tid, procname; stack; of EventHeader: its header; fields
 *   stack   arrays of the addresses in the program and of those in the kernel, and all as text
 *   field   as enum exchange_ctf_type; an array: u32 count, elements
 */
#ifndef EXCHANGE_CTF_METADATA_H
#define EXCHANGE_CTF_METADATA_H

#include "exchange/text.h"

enum exchange_ctf_type {
    EXCHANGE_CTF_UNSIGNED,
    EXCHANGE_CTF_SIGNED,
    EXCHANGE_CTF_HEX,
    EXCHANGE_CTF_FLOAT,
    EXCHANGE_CTF_PORT,  /* u16 */
    EXCHANGE_CTF_BYTES, /* u32 count, bytes */
    EXCHANGE_CTF_TEXT,  /* UTF-8, ended by a NUL */
};

/* The ids of events: those of damaged ones, and of the first class. */
#define EXCHANGE_CTF_DAMAGED     0u
#define EXCHANGE_CTF_FIRST_CLASS 1u

/* Returns how a field's values are written; numbers have the field's unit_bytes. */
enum exchange_ctf_type exchange_ctf_type_of(const struct decode_layout_field *field);

/* True if a field has a length before it: arrays, bytes. */
bool exchange_ctf_is_sequence(const struct decode_layout_field *field);

/* The streams: each event with a stack is in the second one, whose common context has it. (The
 * context of an event class would do, but babeltrace2 up to 2.0.4 aborts if it contains arrays.) */
enum exchange_ctf_stream { EXCHANGE_CTF_PLAIN, EXCHANGE_CTF_STACKS, EXCHANGE_CTF_STREAMS };

/* The metadata in one of the languages. */
struct exchange_ctf_metadata {
    /* Writes what is before the classes. `hostname` may be NULL; has_wall: times are since 1970. */
    void (*put_head)(struct export_print_output *out, const char *hostname, bool has_wall);

    /* Writes the second stream. */
    void (*put_stack_stream)(struct export_print_output *out);

    /* Writes a class of events of a stream. */
    void (*put_class)(struct cairn_exporter *exporter, struct export_print_output *out,
                      const struct decode_layout *layout, uint32_t id,
                      enum exchange_ctf_stream stream);
};

extern const struct exchange_ctf_metadata exchange_ctf1_metadata;
extern const struct exchange_ctf_metadata exchange_ctf2_metadata;

#endif
