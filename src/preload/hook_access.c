/* SPDX-License-Identifier: MIT */
/* Hooks of access and its variants. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <fcntl.h>
#include <unistd.h>

static __attribute__((noinline)) int access_missed(int directory, const char *path, int mode,
                                                   int flags)
{
    cairn_real_path text;

    if (!cairn_hook_redirect_missed(&directory, &path, text))
        return -1;
    return CAIRN_NEXT(faccessat)(directory, path, mode, flags);
}

static __attribute__((noinline)) int access_if_ours(int directory, const char *path, int mode,
                                                    int flags)
{
    cairn_real_path text;
    enum cairn_place_side side = cairn_hook_redirect(&directory, &path, text);
    int result = CAIRN_NEXT(faccessat)(directory, path, mode, flags);

    return result && side == CAIRN_PLACE_OUTSIDE ? access_missed(directory, path, mode, flags)
                                                 : result;
}

CAIRN_HOOK int faccessat(int directory, const char *path, int mode, int flags)
{
    int result;

    if (cairn_hook_may_be_ours(directory, path))
        return access_if_ours(directory, path, mode, flags);
    result = CAIRN_NEXT(faccessat)(directory, path, mode, flags);
    if (__builtin_expect(result, 0) && cairn_hook_may_be_detour(path))
        return access_missed(directory, path, mode, flags);
    return result;
}

/* The C library's faccessat is another system call, which some sandboxes do not know. */
CAIRN_HOOK int access(const char *path, int mode)
{
    int result;

    if (cairn_hook_may_be_ours(AT_FDCWD, path))
        return access_if_ours(AT_FDCWD, path, mode, 0);
    result = CAIRN_NEXT(access)(path, mode);
    return __builtin_expect(result, 0) ? access_missed(AT_FDCWD, path, mode, 0) : result;
}

CAIRN_HOOK int eaccess(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

CAIRN_HOOK int euidaccess(const char *path, int mode)
{
    return eaccess(path, mode);
}
