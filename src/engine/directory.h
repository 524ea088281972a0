/* SPDX-License-Identifier: MIT */
/* Finding the tracing directory, and checks that it can be trusted; its files. */
#ifndef ENGINE_DIRECTORY_H
#define ENGINE_DIRECTORY_H

#include "core/private_api.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define ENGINE_PATH_MAX 4096

enum engine_directory_fault {
    ENGINE_DIRECTORY_FINE = 0,
    ENGINE_DIRECTORY_MISSING,        /* it does not exist, and could not be created */
    ENGINE_DIRECTORY_NO_WAY,         /* the same, because its parent directory is not accessible */
    ENGINE_DIRECTORY_NO_DIRECTORY,   /* it is something else, or a symlink */
    ENGINE_DIRECTORY_FOREIGN,        /* it belongs to another user */
    ENGINE_DIRECTORY_OPEN_TO_OTHERS, /* any user may write to it */
    ENGINE_DIRECTORY_NO_ACCESS,      /* we may not use it */
    ENGINE_DIRECTORY_TOO_LONG,
};

struct engine_directory {
    char path[ENGINE_PATH_MAX];
    size_t shared_length; /* of the part of the path that is the shared directory; 0: none */
    mode_t file_mode;     /* of files made in it */
    uid_t owner;
    gid_t group;
    bool is_shared; /* its owner has opened it to its group: setgid, and writable by the group */
    bool is_others; /* it belongs to another user, whose programs are recorded */
    enum engine_directory_fault fault;
    int error; /* errno of the fault */
};

/*
 * Finds the tracing directory, and creates it if it does not exist: CAIRN_TRACING_DIR, else
 * /run/cairn if usable, else $XDG_RUNTIME_DIR/cairn, else /dev/shm/cairn-UID. A program with raised
 * privileges ignores the environment. The path is absolute: programs change their directory.
 *
 * A directory of root's that other users may write to, or that another user finds, is shared: in it
 * each user has a tracing directory, which is named after the user's number and open to that user
 * alone. That one is then returned.
 *
 * Returns 0, or the errno code also found in ret_directory->error; ret_directory is filled in any
 * case: path and fault explain the failure.
 */
int engine_directory_find(struct engine_directory *ret_directory)
    CORE_PRIVATE_API(engine_directory_find);

/*
 * Opens another user's tracing directory in the same shared one, by its name there. Files in it are
 * only created with O_EXCL, and then given to its owner. Returns 0; EINVAL no such name is used;
 * EACCES it does not belong to the user it is named after, or is not open to this process; or what
 * a system call returned.
 */
int engine_directory_of_other(const struct engine_directory *own, const char *name,
                              struct engine_directory *ret_directory)
    CORE_PRIVATE_API(engine_directory_of_other);

/*
 * The same for a directory that is open, wherever it is: another user's, or in the root directory
 * of another process. It is used by the descriptor, which must stay open. Returns 0; EACCES any
 * user may write to it; or what a system call returned.
 */
int engine_directory_of_descriptor(int fd, struct engine_directory *ret_directory);

/* Opens the shared directory itself. Returns a descriptor, or -1 with errno set. */
int engine_directory_open_shared(const struct engine_directory *directory, int flags)
    CORE_PRIVATE_API(engine_directory_open_shared);

/* Opens `name`, a file or DIRECTORY/FILE, never through a symbolic link. Returns a file descriptor
 * or -1 with errno set; EACCES where another user could have put something else than a file. */
int engine_directory_open(const struct engine_directory *directory, const char *name, int flags)
    CORE_PRIVATE_API(engine_directory_open);

/* Opens a directory in it, to be listed: closed by closedir. NULL with errno set. */
DIR *engine_directory_list(const struct engine_directory *directory, const char *name)
    CORE_PRIVATE_API(engine_directory_list);

/* The same for a descriptor of a directory, which the list then owns; for -1 it returns NULL. */
DIR *engine_directory_list_fd(int fd);

/*
 * Returns the next file of such a list, or NULL at its end. Another user may create any number of
 * files to delay a recorder of all users, so at most ENGINE_DIRECTORY_FILES_MAX of another user's
 * directory are listed. `count`, zero at first, is the number of files so far.
 */
#define ENGINE_DIRECTORY_FILES_MAX 16384u
const char *engine_directory_next(const struct engine_directory *directory, DIR *list,
                                  uint32_t *count) CORE_PRIVATE_API(engine_directory_next);

/* Removes such a file. Returns 0, also when it is not there; or an errno code. */
int engine_directory_remove(const struct engine_directory *directory, const char *name)
    CORE_PRIVATE_API(engine_directory_remove);

/* Gives a file another name in the same directory. Returns 0; EEXIST it is in use; or what a system
 * call returned. */
int engine_directory_rename(const struct engine_directory *directory, const char *name,
                            const char *new_name);

/* Makes a directory in it. Returns 0, also when it is there; or an errno code. */
int engine_directory_make(const struct engine_directory *directory, const char *name);

#endif
