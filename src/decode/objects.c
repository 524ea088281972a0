/* SPDX-License-Identifier: MIT */
/* Symbols of executables and libraries. */
#include "decode/objects.h"

#include "perf_data/arena.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_HAVE_LIBDW
#include "elf/library.h"

#include <sys/stat.h>
#else
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl Dwfl;
#endif

struct decode_object {
    char *path;
    struct decode_build_id build_id;
    bool was_opened;
    Dwfl *dwfl;          /* NULL: it cannot be read */
    Dwfl_Module *module; /* of it */
};

/* Few files are mapped; the one of the last address is mostly that of the next. */
int decode_objects_find(struct decode_objects *objects, const char *path,
                        const struct decode_build_id *build_id, uint32_t *ret_index)
{
    struct decode_object *object;

    for (uint32_t n = objects->count; n--;) {
        object = objects->objects[n];
        if (!strcmp(object->path, path) &&
            !memcmp(&object->build_id, build_id, sizeof(*build_id))) {
            *ret_index = n;
            return 0;
        }
    }
    object = (struct decode_object *)calloc(1, sizeof(*object));
    if (!object || perf_data_array_grow((void ***)&objects->objects, objects->count)) {
        free(object);
        return ENOMEM;
    }
    object->build_id = *build_id;
    object->path = strdup(path);
    if (!object->path) {
        free(object);
        return ENOMEM;
    }
    *ret_index = objects->count;
    objects->objects[objects->count++] = object;
    return 0;
}

const char *decode_object_path(const struct decode_objects *objects, uint32_t index)
{
    return objects->objects[index]->path;
}

#ifdef CAIRN_HAVE_LIBDW

static void close_object(struct decode_object *object)
{
    if (object->dwfl)
        elf_library->dwfl_end(object->dwfl);
    object->dwfl = NULL;
    object->module = NULL;
}

/* True if a file is the one that was recorded, as far as that is known. */
static bool is_same(const struct decode_object *object)
{
    const unsigned char *bytes;
    GElf_Addr address;
    int size = elf_library->dwfl_module_build_id(object->module, &bytes, &address);

    if (!object->build_id.size_bytes || size <= 0)
        return true;
    return size >= object->build_id.size_bytes &&
           !memcmp(bytes, object->build_id.bytes, object->build_id.size_bytes);
}

static bool open_file(struct decode_object *object, const char *path)
{
    struct stat st;

    /* A recording may name anything: reading a pipe would never end. */
    if (stat(path, &st) || !S_ISREG(st.st_mode))
        return false;
    object->dwfl = elf_library->dwfl_begin(&elf_library->files);
    if (object->dwfl) {
        object->module = elf_library->dwfl_report_offline(object->dwfl, "", path, -1);
        (void)elf_library->dwfl_report_end(object->dwfl, NULL, NULL);
    }
    if (object->module && is_same(object))
        return true;
    close_object(object);
    return false;
}

/* Files that are not here any more may be kept under their build id. */
static void open_by_build_id(struct decode_object *object)
{
    const uint8_t *id = object->build_id.bytes;
    char path[128];
    int length;

    if (object->build_id.size_bytes < 2)
        return;
    length = snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/", id[0]);
    for (uint8_t n = 1; n < object->build_id.size_bytes; n++)
        length += snprintf(path + length, sizeof(path) - (size_t)length, "%02x", id[n]);
    (void)snprintf(path + length, sizeof(path) - (size_t)length, ".debug");
    (void)open_file(object, path);
}

/* The address in the module of an offset in the file. */
static bool find_address(const struct decode_object *object, uint64_t file_offset,
                         GElf_Addr *ret_address)
{
    GElf_Addr bias;
    Elf *elf = elf_library->dwfl_module_getelf(object->module, &bias);
    size_t count;

    if (!elf || elf_library->elf_getphdrnum(elf, &count))
        return false;
    for (size_t n = 0; n < count && n < INT32_MAX; n++) {
        GElf_Phdr header;

        if (elf_library->gelf_getphdr(elf, (int)n, &header) && header.p_type == PT_LOAD &&
            file_offset >= header.p_offset && file_offset - header.p_offset < header.p_filesz) {
            *ret_address = file_offset - header.p_offset + header.p_vaddr + bias;
            return true;
        }
    }
    return false;
}

bool decode_object_symbol(struct decode_objects *objects, uint32_t index, uint64_t file_offset,
                          const char **ret_name, uint64_t *ret_offset)
{
    struct decode_object *object = objects->objects[index];
    GElf_Addr address;
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name;

    if (!object->was_opened) {
        object->was_opened = true;
        if (object->path[0] == '/' && elf_library_load() && !open_file(object, object->path))
            open_by_build_id(object);
    }
    if (!object->module || !find_address(object, file_offset, &address))
        return false;
    name = elf_library->dwfl_module_addrinfo(object->module, address, &offset, &symbol, NULL, NULL,
                                             NULL);
    if (!name)
        return false;
    *ret_name = name;
    *ret_offset = offset;
    return true;
}

#else

static void close_object(struct decode_object *object)
{
    (void)object;
}

bool decode_object_symbol(struct decode_objects *objects, uint32_t index, uint64_t file_offset,
                          const char **ret_name, uint64_t *ret_offset)
{
    (void)objects;
    (void)index;
    (void)file_offset;
    (void)ret_name;
    (void)ret_offset;
    return false;
}

#endif

void decode_objects_free(struct decode_objects *objects)
{
    for (uint32_t n = 0; n < objects->count; n++) {
        close_object(objects->objects[n]);
        free(objects->objects[n]->path);
        free(objects->objects[n]);
    }
    free(objects->objects);
    *objects = (struct decode_objects){0};
}
