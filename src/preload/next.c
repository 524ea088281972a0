/* SPDX-License-Identifier: MIT */
/*
 * dlsym would be no way to find a function when it is called: it takes the loader's lock, which
 * another thread may have that waits for the caller. To find all of them when the library is loaded
 * is a measurable part of a short program's life. So the tables of the objects after this one are
 * read here, without a lock; dlsym finds the rest.
 */
#include "preload/next.h"
#include "core/atomic.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HIDDEN_VERSION 0x8000

void *preload_next_functions[PRELOAD_NEXT_COUNT];

/* The list of what is loaded, for debuggers; not every C library has it. */
#pragma weak _r_debug

/* The symbols of an object. */
struct symbols {
    const ElfW(Sym) * table;
    const char *names;
    const ElfW(Half) * versions; /* NULL: it has none */
    const uint32_t *hash;        /* NULL: it cannot be searched */
};

static const struct link_map *find_self(void)
{
    const struct link_map *object = &_r_debug ? _r_debug.r_map : NULL;

    while (object && object->l_ld != _DYNAMIC)
        object = object->l_next;
    return object;
}

/* Some loaders leave the addresses as they are in the file. */
static const void *address_in(const struct link_map *object, ElfW(Addr) address)
{
    return (const void *)(address < object->l_addr ? address + object->l_addr
                                                   : address); // NOLINT(*-int-to-ptr)
}

static struct symbols symbols_of(const struct link_map *object)
{
    struct symbols symbols = {0};

    for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
        const void *address = address_in(object, entry->d_un.d_ptr);

        if (entry->d_tag == DT_SYMTAB)
            symbols.table = address;
        else if (entry->d_tag == DT_STRTAB)
            symbols.names = address;
        else if (entry->d_tag == DT_VERSYM)
            symbols.versions = address;
        else if (entry->d_tag == DT_GNU_HASH)
            symbols.hash = address;
    }
    if (!symbols.table || !symbols.names)
        symbols.hash = NULL;
    return symbols;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;

    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

static bool is_meant(const struct symbols *symbols, uint32_t index, const char *name)
{
    const ElfW(Sym) *symbol = &symbols->table[index];

    return symbol->st_shndx != SHN_UNDEF &&
           !(symbols->versions && symbols->versions[index] & HIDDEN_VERSION) &&
           !strcmp(symbols->names + symbol->st_name, name);
}

/* The number of a symbol, or 0. */
static uint32_t find_index(const struct symbols *symbols, const char *name, uint32_t hash)
{
    const uint32_t bits = 8 * sizeof(ElfW(Addr));
    const uint32_t bucket_count = symbols->hash[0];
    const uint32_t first = symbols->hash[1];
    const uint32_t word_count = symbols->hash[2];
    const ElfW(Addr) *words = (const void *)(symbols->hash + 4);
    const uint32_t *buckets = (const void *)(words + word_count);
    const uint32_t *chain = buckets + bucket_count;
    ElfW(Addr) word = words[hash / bits % word_count];
    uint32_t index;

    if (!(word >> hash % bits & word >> (hash >> symbols->hash[3]) % bits & 1))
        return 0;
    index = buckets[hash % bucket_count];
    while (index) {
        uint32_t other = chain[index - first];

        if ((other | 1) == (hash | 1) && is_meant(symbols, index, name))
            return index;
        index = other & 1 ? 0 : index + 1;
    }
    return 0;
}

/* The function with a name in this object, or NULL. dlsym handles all but plain functions. */
static void *find_in(const struct link_map *object, const struct symbols *symbols, const char *name,
                     uint32_t hash)
{
    uint32_t index = find_index(symbols, name, hash);
    const ElfW(Sym) * symbol;

    if (!index)
        return NULL;
    symbol = &symbols->table[index];
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC
               ? (void *)(object->l_addr + symbol->st_value) // NOLINT(*-int-to-ptr)
               : dlsym(RTLD_NEXT, name);
}

static const char names[][40] = {
#define PRELOAD_NEXT_NAME(type, name, arguments) #name,
    PRELOAD_NEXT_FUNCTIONS(PRELOAD_NEXT_NAME)
#undef PRELOAD_NEXT_NAME
};

/* As the loader would find it: after this one in the list of loaded objects, and not after the C
 * library, which stays: what the program loads later may go while we look at it. */
static void *find(const char *name)
{
    const struct link_map *object = find_self();
    uint32_t hash = hash_of(name);
    bool is_last = false;
    void *found = NULL;

    if (!object)
        return dlsym(RTLD_NEXT, name);
    while (!found && !is_last && (object = object->l_next)) {
        const struct symbols symbols = symbols_of(object);

        if (!symbols.hash)
            return dlsym(RTLD_NEXT, name);
        found = find_in(object, &symbols, name, hash);
        is_last = find_index(&symbols, "openat", hash_of("openat")) != 0;
    }
    return found;
}

void *preload_next_find(size_t number)
{
    void *function = find(names[number]);

    core_store_relaxed(&preload_next_functions[number], function);
    return function;
}
