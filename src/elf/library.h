/* SPDX-License-Identifier: MIT */
/*
 * elfutils' libdw, with libelf, loaded when a file is first examined: with the libraries that they
 * need they would make each command start later by a quarter.
 */
#ifndef ELF_LIBRARY_H
#define ELF_LIBRARY_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

#define ELF_LIBRARY_FUNCTIONS(FUNCTION)    \
    FUNCTION(dwarf_attr_integrate)         \
    FUNCTION(dwarf_bytesize)               \
    FUNCTION(dwarf_child)                  \
    FUNCTION(dwarf_diename)                \
    FUNCTION(dwarf_formref_die)            \
    FUNCTION(dwarf_formudata)              \
    FUNCTION(dwarf_getscopes)              \
    FUNCTION(dwarf_peel_type)              \
    FUNCTION(dwarf_siblingof)              \
    FUNCTION(dwarf_tag)                    \
    FUNCTION(dwfl_begin)                   \
    FUNCTION(dwfl_build_id_find_elf)       \
    FUNCTION(dwfl_end)                     \
    FUNCTION(dwfl_module_addrdie)          \
    FUNCTION(dwfl_module_addrinfo)         \
    FUNCTION(dwfl_module_build_id)         \
    FUNCTION(dwfl_module_getelf)           \
    FUNCTION(dwfl_module_getsym_info)      \
    FUNCTION(dwfl_module_getsymtab)        \
    FUNCTION(dwfl_offline_section_address) \
    FUNCTION(dwfl_report_end)              \
    FUNCTION(dwfl_report_offline)          \
    FUNCTION(dwfl_standard_find_debuginfo) \
    FUNCTION(elf_getdata)                  \
    FUNCTION(elf_getphdrnum)               \
    FUNCTION(elf_getshdrstrndx)            \
    FUNCTION(elf_nextscn)                  \
    FUNCTION(elf_strptr)                   \
    FUNCTION(gelf_getnote)                 \
    FUNCTION(gelf_getphdr)                 \
    FUNCTION(gelf_getshdr)

#define ELF_LIBRARY_MEMBER(name) __typeof__(&(name)) name;

struct elf_library {
    ELF_LIBRARY_FUNCTIONS(ELF_LIBRARY_MEMBER)
    Dwfl_Callbacks files; /* for dwfl_begin: files by their paths, with what describes them */
};

#undef ELF_LIBRARY_MEMBER

/* Loads it, if that was not done. False: libdw is not installed. It stays loaded. Any thread. */
bool elf_library_load(void);

/* Valid after that has returned true. */
extern const struct elf_library *elf_library;

#endif
