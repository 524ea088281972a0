/* SPDX-License-Identifier: MIT */
/* Functions, their arguments, and static probes of executables and libraries, by elfutils. */
#include "perf_events/probes.h"

#include <errno.h>

#ifndef CAIRN_HAVE_LIBDW

int perf_events_find_functions(const char *path, const char *pattern,
                               struct perf_events_probes *ret_probes)
{
    (void)path;
    (void)pattern;
    (void)ret_probes;
    return EOPNOTSUPP;
}

int perf_events_find_static(const char *path, const char *pattern,
                            struct perf_events_probes *ret_probes)
{
    (void)path;
    (void)pattern;
    (void)ret_probes;
    return EOPNOTSUPP;
}

#else

#include "core/glob.h"
#include "elf/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The registers in which functions get their integers and pointers, as the kernel names them. */
#if defined(__x86_64__)
static const char *const registers[] = {"di", "si", "dx", "cx", "r8", "r9"};
#elif defined(__aarch64__)
static const char *const registers[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"};
#else
static const char *const registers[] = {""};
#endif

#define REGISTER_COUNT (sizeof(registers) / sizeof(*registers))

/* An open file. */
struct object {
    Dwfl *dwfl;
    Dwfl_Module *module;
};

static int open_object(const char *path, struct object *ret_object)
{
    struct object object;

    if (!registers[0][0] || !elf_library_load())
        return EOPNOTSUPP;
    object.dwfl = elf_library->dwfl_begin(&elf_library->files);
    if (!object.dwfl)
        return ENOMEM;
    object.module = elf_library->dwfl_report_offline(object.dwfl, "", path, -1);
    (void)elf_library->dwfl_report_end(object.dwfl, NULL, NULL);
    if (!object.module) {
        elf_library->dwfl_end(object.dwfl);
        return EBADMSG;
    }
    *ret_object = object;
    return 0;
}

/* The offset in the file of an address of it. */
static bool offset_of(Elf *elf, GElf_Addr address, uint64_t *ret_offset)
{
    size_t count;

    if (!elf || elf_library->elf_getphdrnum(elf, &count))
        return false;
    for (size_t n = 0; n < count && n < INT32_MAX; n++) {
        GElf_Phdr header;

        if (elf_library->gelf_getphdr(elf, (int)n, &header) && header.p_type == PT_LOAD &&
            address >= header.p_vaddr && address - header.p_vaddr < header.p_filesz) {
            *ret_offset = address - header.p_vaddr + header.p_offset;
            return true;
        }
    }
    return false;
}

/* ---- arguments ---- */

static bool type_of(Dwarf_Die *die, Dwarf_Die *ret_type)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;

    return elf_library->dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
           elf_library->dwarf_formref_die(&attribute, &type) &&
           !elf_library->dwarf_peel_type(&type, ret_type);
}

static Dwarf_Word encoding_of(Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;

    if (elf_library->dwarf_attr_integrate(type, DW_AT_encoding, &attribute))
        (void)elf_library->dwarf_formudata(&attribute, &encoding);
    return encoding;
}

static bool is_text(Dwarf_Die *pointer)
{
    Dwarf_Die type;
    Dwarf_Word encoding;

    if (!type_of(pointer, &type) || elf_library->dwarf_tag(&type) != DW_TAG_base_type ||
        elf_library->dwarf_bytesize(&type) != 1)
        return false;
    encoding = encoding_of(&type);
    return encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char;
}

/* The place of a parameter. */
enum passing { IN_REGISTER, IN_VECTOR_REGISTER, IN_MEMORY };

/* Writes how the kernel shows a value of a type. */
static enum passing format_of(Dwarf_Die *type, char *format, size_t size, bool *ret_is_text)
{
    int bytes = elf_library->dwarf_bytesize(type);
    Dwarf_Word encoding;

    *ret_is_text = false;
    switch (elf_library->dwarf_tag(type)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        *ret_is_text = is_text(type);
        (void)snprintf(format, size, *ret_is_text ? "string" : "x64");
        return IN_REGISTER;
    case DW_TAG_enumeration_type:
        (void)snprintf(format, size, "s%d", bytes > 0 && bytes <= 8 ? 8 * bytes : 32);
        return IN_REGISTER;
    case DW_TAG_base_type:
        encoding = encoding_of(type);
        if (encoding == DW_ATE_float)
            return bytes <= 8 ? IN_VECTOR_REGISTER : IN_MEMORY;
        if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
            return IN_MEMORY;
        (void)snprintf(format, size, "%c%d",
                       encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ? 's' : 'u',
                       8 * bytes);
        return IN_REGISTER;
    default:
        return IN_MEMORY;
    }
}

static void put_argument(Dwarf_Die *parameter, const char *format, bool is_text, size_t number,
                         struct cairn_bytes *fetch)
{
    const char *name = elf_library->dwarf_diename(parameter);
    char argument[256];
    char own[16];
    int length;

    if (!name || strlen(name) > 31) {
        (void)snprintf(own, sizeof(own), "arg%zu", number + 1);
        name = own;
    }
    length = snprintf(argument, sizeof(argument), is_text ? " %s=+0(%%%s):%s" : " %s=%%%s:%s", name,
                      registers[number], format);
    perf_data_bytes_put(fetch, argument, (size_t)length);
}

/* Adds the parameters of a function that are in registers at its entry. One of another kind than
 * numbers and pointers ends them: the registers after it are not known. */
static void put_parameters(Dwarf_Die *function, struct cairn_bytes *fetch)
{
    size_t number = 0;
    Dwarf_Die child;
    int more = elf_library->dwarf_child(function, &child);

    for (; !more && number < REGISTER_COUNT; more = elf_library->dwarf_siblingof(&child, &child)) {
        char format[16];
        Dwarf_Die type;
        bool is_a_text;
        enum passing passing;

        if (elf_library->dwarf_tag(&child) != DW_TAG_formal_parameter)
            continue;
        if (!type_of(&child, &type))
            return;
        passing = format_of(&type, format, sizeof(format), &is_a_text);
        if (passing == IN_MEMORY)
            return;
        if (passing == IN_REGISTER)
            put_argument(&child, format, is_a_text, number++, fetch);
    }
}

static void describe(const struct object *object, GElf_Addr address, struct cairn_bytes *fetch)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = elf_library->dwfl_module_addrdie(object->module, address, &bias);
    Dwarf_Die *scopes = NULL;
    int count = unit ? elf_library->dwarf_getscopes(unit, address - bias, &scopes) : 0;

    for (int n = 0; n < count; n++) {
        if (elf_library->dwarf_tag(&scopes[n]) == DW_TAG_subprogram) {
            put_parameters(&scopes[n], fetch);
            break;
        }
    }
    free(scopes);
}

/* ---- functions ---- */

static bool has_offset(const struct perf_events_probes *probes, uint64_t offset)
{
    for (uint32_t n = 0; n < probes->count; n++) {
        if (probes->probes[n].offset == offset)
            return true;
    }
    return false;
}

static int add_function(const struct object *object, const char *name, GElf_Addr address,
                        struct perf_events_probes *probes)
{
    struct perf_events_probe *probe;
    GElf_Addr bias;
    Elf *elf = elf_library->dwfl_module_getelf(object->module, &bias);
    uint64_t offset;
    int err;

    if (!offset_of(elf, address - bias, &offset) || has_offset(probes, offset))
        return 0;
    err = perf_events_add_probe(probes, name, offset, &probe);
    if (!err)
        describe(object, address, &probe->fetch);
    return err ? err : probe->fetch.error;
}

int perf_events_find_functions(const char *path, const char *pattern,
                               struct perf_events_probes *ret_probes)
{
    struct object object;
    uint32_t before = ret_probes->count;
    int err = open_object(path, &object);
    int count;

    if (err)
        return err;
    count = elf_library->dwfl_module_getsymtab(object.module);
    for (int n = 1; n < count && !err; n++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = elf_library->dwfl_module_getsym_info(object.module, n, &symbol, &address,
                                                                NULL, NULL, NULL);

        if (name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
            core_glob_match(pattern, name))
            err = add_function(&object, name, address, ret_probes);
    }
    elf_library->dwfl_end(object.dwfl);
    return err ? err : ret_probes->count == before ? ENOENT : 0;
}

/* ---- static probes ---- */

#define NOTE_NAME "stapsdt"
#define NOTE_TYPE 3

/* The address that the section .stapsdt.base has, to which addresses in notes relate. */
static GElf_Addr find_base(Elf *elf)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_library->elf_getshdrstrndx(elf, &names))
        return 0;
    while ((section = elf_library->elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name = elf_library->gelf_getshdr(section, &header)
                               ? elf_library->elf_strptr(elf, names, header.sh_name)
                               : NULL;

        if (name && !strcmp(name, ".stapsdt.base"))
            return header.sh_addr;
    }
    return 0;
}

/* The parts of a note. */
struct note {
    uint64_t address;
    uint64_t base;
    uint64_t semaphore;
    const char *provider;
    const char *name;
    const char *arguments;
};

static const char *take_text(const char **at, const char *end)
{
    const char *text = *at;
    size_t length = strnlen(text, (size_t)(end - text));

    *at = text + length + 1;
    return text + length < end ? text : NULL;
}

static bool parse_note(const char *at, size_t size, struct note *ret_note)
{
    const char *end = at + size;
    uint64_t addresses[3];

    if (size < sizeof(addresses) + 3)
        return false;
    memcpy(addresses, at, sizeof(addresses));
    at += sizeof(addresses);
    *ret_note =
        (struct note){.address = addresses[0], .base = addresses[1], .semaphore = addresses[2]};
    ret_note->provider = take_text(&at, end);
    ret_note->name = ret_note->provider ? take_text(&at, end) : NULL;
    ret_note->arguments = ret_note->name ? take_text(&at, end) : NULL;
    return ret_note->arguments != NULL;
}

static bool is_wanted(const struct note *note, const char *pattern)
{
    const char *colon = strchr(pattern, ':');
    char provider[256];

    if (!colon)
        return core_glob_match(pattern, note->name);
    if ((size_t)(colon - pattern) >= sizeof(provider))
        return false;
    memcpy(provider, pattern, (size_t)(colon - pattern));
    provider[colon - pattern] = '\0';
    return core_glob_match(provider, note->provider) && core_glob_match(colon + 1, note->name);
}

static void put_arguments(const char *text, struct cairn_bytes *fetch)
{
#if defined(__x86_64__)
    unsigned number = 0;

    while (*text) {
        size_t length = strcspn(text, " ");

        if (length)
            number = perf_events_put_static_argument(fetch, number, text, length);
        text += length + (text[length] == ' ');
    }
#else
    (void)text;
    (void)fetch;
#endif
}

static int add_static(Elf *elf, GElf_Addr base, const struct note *note,
                      struct perf_events_probes *probes)
{
    GElf_Addr moved = base && note->base ? base - note->base : 0;
    struct perf_events_probe *probe;
    uint64_t offset;
    int err;

    if (!offset_of(elf, note->address + moved, &offset))
        return 0;
    err = perf_events_add_probe(probes, note->name, offset, &probe);
    if (err)
        return err;
    if (note->semaphore && !offset_of(elf, note->semaphore + moved, &probe->counter))
        probe->counter = 0;
    put_arguments(note->arguments, &probe->fetch);
    return probe->fetch.error;
}

static int add_notes(Elf *elf, Elf_Data *data, GElf_Addr base, const char *pattern,
                     struct perf_events_probes *probes)
{
    size_t at = 0;
    size_t name_at;
    size_t desc_at;
    GElf_Nhdr header;
    int err = 0;

    while (!err && (at = elf_library->gelf_getnote(data, at, &header, &name_at, &desc_at)) > 0) {
        const char *bytes = (const char *)data->d_buf;
        struct note note;

        if (header.n_type == NOTE_TYPE && header.n_namesz == sizeof(NOTE_NAME) &&
            !memcmp(bytes + name_at, NOTE_NAME, sizeof(NOTE_NAME)) &&
            parse_note(bytes + desc_at, header.n_descsz, &note) && is_wanted(&note, pattern))
            err = add_static(elf, base, &note, probes);
    }
    return err;
}

int perf_events_find_static(const char *path, const char *pattern,
                            struct perf_events_probes *ret_probes)
{
    struct object object;
    uint32_t before = ret_probes->count;
    Elf_Scn *section = NULL;
    GElf_Addr bias;
    Elf *elf;
    int err = open_object(path, &object);

    if (err)
        return err;
    elf = elf_library->dwfl_module_getelf(object.module, &bias);
    while (elf && !err && (section = elf_library->elf_nextscn(elf, section))) {
        GElf_Shdr header;
        Elf_Data *data;

        if (elf_library->gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
            (data = elf_library->elf_getdata(section, NULL)))
            err = add_notes(elf, data, find_base(elf), pattern, ret_probes);
    }
    elf_library->dwfl_end(object.dwfl);
    return err ? err : ret_probes->count == before ? ENOENT : 0;
}

#endif
