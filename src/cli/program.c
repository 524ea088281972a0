/* SPDX-License-Identifier: MIT */
/* Examines a program file, and the interpreter of a script, by its ELF header and segments. */
#include "cli/program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define NOTES_MAX_BYTES  1024
#define INTERPRETERS_MAX 4 /* nested interpreters of scripts, as in the kernel */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ORDER ELFDATA2LSB
#else
#define OUR_ORDER ELFDATA2MSB
#endif

static bool is_program(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool cli_program_find(const char *name, char path[PATH_MAX])
{
    const char *list = getenv("PATH");

    if (strchr(name, '/')) {
        (void)snprintf(path, PATH_MAX, "%s", name);
        return is_program(path);
    }
    for (list = list ? list : "/bin:/usr/bin"; *list;) {
        size_t length = strcspn(list, ":");

        (void)snprintf(path, PATH_MAX, "%.*s/%s", length ? (int)length : 1, length ? list : ".",
                       name);
        if (is_program(path))
            return true;
        list += length;
        list += *list == ':';
    }
    return false;
}

/* True if exec raises the privileges of the program: the dynamic linker then ignores LD_PRELOAD. */
static bool raises_privileges(int fd)
{
    struct stat st;

    if (fstat(fd, &st))
        return false;
    return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
           (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
           (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

/* True if a segment has a note of Go's linker. */
static bool has_go_note(int fd, const Elf64_Phdr *segment)
{
    char notes[NOTES_MAX_BYTES];
    size_t wanted = segment->p_filesz < sizeof(notes) ? segment->p_filesz : sizeof(notes);
    ssize_t size = pread(fd, notes, wanted, (off_t)segment->p_offset);
    size_t at = 0;

    while (size > 0 && at + sizeof(Elf64_Nhdr) + sizeof("Go") <= (size_t)size) {
        Elf64_Nhdr note;

        memcpy(&note, notes + at, sizeof(note));
        if (note.n_namesz >= sizeof("Go") && !memcmp(notes + at + sizeof(note), "Go", sizeof("Go")))
            return true;
        at += sizeof(note) + ((size_t)note.n_namesz + 3) / 4 * 4 +
              ((size_t)note.n_descsz + 3) / 4 * 4;
    }
    return false;
}

struct segments {
    bool have_interpreter;
    bool have_go_note;
};

static struct segments read_segments(int fd, const Elf64_Ehdr *elf)
{
    struct segments found = {0};

    for (uint32_t i = 0; i < elf->e_phnum; i++) {
        Elf64_Phdr segment;
        off_t at = (off_t)(elf->e_phoff + (uint64_t)i * elf->e_phentsize);

        if (pread(fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment))
            break;
        if (segment.p_type == PT_INTERP)
            found.have_interpreter = true;
        else if (segment.p_type == PT_NOTE && has_go_note(fd, &segment))
            found.have_go_note = true;
    }
    return found;
}

static const char *elf_obstacle(int fd, const unsigned char *head, size_t size)
{
    struct segments segments;
    Elf64_Ehdr elf;

    if (head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != OUR_ORDER || size < sizeof(elf))
        return "is a 32-bit program, or one for another kind of processor";
    memcpy(&elf, head, sizeof(elf));
    segments = read_segments(fd, &elf);
    if (!segments.have_interpreter)
        return "is linked statically";
    if (segments.have_go_note)
        return "is a Go program, whose system calls bypass the C library";
    return raises_privileges(fd) ? "raises its privileges (setuid, setgid or capabilities)" : NULL;
}

/* Reads the interpreter that a script names in its first line. False: it is not a script. */
static bool read_interpreter(const char *head, char path[PATH_MAX])
{
    if (head[0] != '#' || head[1] != '!')
        return false;
    head += 2 + strspn(head + 2, " \t");
    (void)snprintf(path, PATH_MAX, "%.*s", (int)strcspn(head, " \t\n"), head);
    return *path != 0;
}

const char *cli_program_preload_obstacle(const char *path)
{
    char name[PATH_MAX];

    (void)snprintf(name, sizeof(name), "%s", path);
    for (int i = 0; i < INTERPRETERS_MAX; i++) {
        int fd = open(name, O_RDONLY | O_CLOEXEC);
        char head[512] = "";
        ssize_t size = fd < 0 ? -1 : pread(fd, head, sizeof(head) - 1, 0);
        bool is_elf = size > EI_NIDENT && !memcmp(head, ELFMAG, SELFMAG);
        const char *reason =
            is_elf ? elf_obstacle(fd, (const unsigned char *)head, (size_t)size) : NULL;

        if (fd >= 0)
            close(fd);
        if (is_elf || !read_interpreter(head, name))
            return reason;
    }
    return NULL;
}
