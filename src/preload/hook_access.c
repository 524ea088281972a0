/* SPDX-License-Identifier: MIT */
/* Hooks of access and its variants. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <fcntl.h>
#include <unistd.h>

static __attribute__((noinline)) int access_missed(int directory, const char *path, int mode,
                                                   int flags)
{
    preload_real_path text;

    if (!preload_hook_redirect_missed(&directory, &path, text))
        return -1;
    return PRELOAD_NEXT(faccessat)(directory, path, mode, flags);
}

static __attribute__((noinline)) int access_if_ours(int directory, const char *path, int mode,
                                                    int flags)
{
    preload_real_path text;
    enum preload_place_side side = preload_hook_redirect(&directory, &path, text);
    int result = PRELOAD_NEXT(faccessat)(directory, path, mode, flags);

    return result && side == PRELOAD_PLACE_OUTSIDE ? access_missed(directory, path, mode, flags)
                                                   : result;
}

PRELOAD_HOOK int faccessat(int directory, const char *path, int mode, int flags)
{
    int result;

    if (preload_hook_may_be_ours(directory, path))
        return access_if_ours(directory, path, mode, flags);
    result = PRELOAD_NEXT(faccessat)(directory, path, mode, flags);
    if (__builtin_expect(result, 0) && preload_hook_may_be_detour(path))
        return access_missed(directory, path, mode, flags);
    return result;
}

/* The C library's faccessat is another system call, which some sandboxes do not know. */
PRELOAD_HOOK int access(const char *path, int mode)
{
    int result;

    if (preload_hook_may_be_ours(AT_FDCWD, path))
        return access_if_ours(AT_FDCWD, path, mode, 0);
    result = PRELOAD_NEXT(access)(path, mode);
    return __builtin_expect(result, 0) ? access_missed(AT_FDCWD, path, mode, 0) : result;
}

PRELOAD_HOOK int eaccess(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

PRELOAD_HOOK int euidaccess(const char *path, int mode)
{
    return eaccess(path, mode);
}
