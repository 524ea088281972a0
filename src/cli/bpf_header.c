/* SPDX-License-Identifier: MIT */
/*
 * Writes the C header of cairn register --bpf. It uses C's own types, since bpftrace knows others
 * only on kernels with BTF. The structs are packed, as the kernel packs an event's fields.
 */
#include "cli/bpf_header.h"

#include <cairn/schema.h>
#include <ctype.h>
#include <string.h>

static const char *const keywords[] = {
    "asm",      "auto",   "break",    "case",   "char",     "const",    "continue", "default",
    "do",       "double", "else",     "enum",   "extern",   "float",    "for",      "goto",
    "if",       "inline", "int",      "long",   "register", "restrict", "return",   "short",
    "signed",   "sizeof", "static",   "struct", "switch",   "typedef",  "typeof",   "union",
    "unsigned", "void",   "volatile", "while",
};

static bool is_keyword(struct cairn_slice name)
{
    for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
        if (strlen(keywords[i]) == name.length && !memcmp(keywords[i], name.text, name.length))
            return true;
    }
    return false;
}

static bool is_word_byte(char c)
{
    return c == '_' || isalnum((unsigned char)c);
}

/* An event's name may contain almost any byte: those that C does not allow become underscores. */
static void print_name(FILE *header, struct cairn_slice name)
{
    if (isdigit((unsigned char)name.text[0]))
        (void)fputc('_', header);
    for (uint32_t i = 0; i < name.length; i++)
        (void)fputc(is_word_byte(name.text[i]) ? name.text[i] : '_', header);
    if (is_keyword(name))
        (void)fputc('_', header);
}

static const char *integer_type(const struct cairn_field *field)
{
    static const char *const names[2][4] = {
        {"unsigned char", "unsigned short", "unsigned int", "unsigned long long"},
        {"signed char", "short", "int", "long long"},
    };
    uint32_t size_bytes = field->element_size_bytes;

    return names[field->is_signed][size_bytes == 8   ? 3
                                   : size_bytes == 4 ? 2
                                   : size_bytes == 2 ? 1
                                                     : 0];
}

static void print_inline(FILE *header, const struct cairn_field *field)
{
    bool is_whole = field->kind == CAIRN_FIELD_UNSIGNED || field->kind == CAIRN_FIELD_SIGNED;
    bool is_text = field->kind == CAIRN_FIELD_STRING;

    (void)fprintf(header, "    %s ",
                  is_text    ? "char"
                  : is_whole ? integer_type(field)
                             : "unsigned char");
    print_name(header, field->name);
    if (field->is_array || !(is_whole || is_text))
        (void)fprintf(header, "[%u]", field->size_bytes);
    (void)fputs(";\n", header);
}

static void print_dynamic(FILE *header, const struct cairn_field *field)
{
    (void)fputs("    unsigned int ", header);
    print_name(header, field->name);
    (void)fprintf(header, "; /* %.*s */\n", (int)field->type.length, field->type.text);
}

/* The number to which the offset of a dynamic field is added. */
static void print_base(FILE *header, const struct cairn_schema *schema,
                       const struct cairn_field *field)
{
    (void)fputs(", ", header);
    print_name(header, schema->name);
    (void)fputc('_', header);
    print_name(header, field->name);
    (void)fprintf(header, "_base = %u",
                  field->location == CAIRN_FIELD_REL_LOC ? field->offset + 4 : 0);
}

static void print_numbers(FILE *header, const struct cairn_schema *schema, uint32_t id)
{
    (void)fputs("\nenum { ", header);
    print_name(header, schema->name);
    (void)fprintf(header, "_id = %u", id);
    for (uint32_t i = 0; i < schema->field_count; i++) {
        if (schema->fields[i].location != CAIRN_FIELD_INLINE)
            print_base(header, schema, &schema->fields[i]);
    }
    (void)fputs(" };\n", header);
}

static void print_struct(FILE *header, const struct cairn_schema *schema)
{
    (void)fputs("struct ", header);
    print_name(header, schema->name);
    (void)fprintf(header, "_event {\n    unsigned char common[%u];\n", CAIRN_COMMON_BYTES);
    for (uint32_t i = 0; i < schema->field_count; i++) {
        if (schema->fields[i].location == CAIRN_FIELD_INLINE)
            print_inline(header, &schema->fields[i]);
        else
            print_dynamic(header, &schema->fields[i]);
    }
    (void)fputs("} __attribute__((packed));\n", header);
}

void cli_bpf_header_begin(FILE *header)
{
    (void)fputs(
        "/*\n"
        " * Events of user_events, for BPF programs: written by cairn register --bpf.\n"
        " *\n"
        " * The kernel's perf_tp_event(u16 id, u64 count, void *event, int size, ...) gets each\n"
        " * event that is written. NAME_id is the id in this boot, the event a struct NAME_event.\n"
        " * A dynamic field is length << 16 | offset; the offset counts from NAME_FIELD_base.\n"
        " * The common bytes are filled in later.\n"
        " */\n"
        "#pragma once\n",
        header);
}

int cli_bpf_header_add(FILE *header, const char *command, uint32_t id)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    int error = cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL);

    if (error)
        return error;
    print_numbers(header, &schema, id);
    print_struct(header, &schema);
    return 0;
}
