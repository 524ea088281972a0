/* SPDX-License-Identifier: MIT */
/* Loads and unloads a DLL whose providers are registered. usage: unload DLL */
#include <stdio.h>
#include <windows.h>

typedef int begin_function(volatile LONG *registrations, volatile LONG *writes);

int main(int argc, char **argv)
{
    volatile LONG registrations = 0;
    volatile LONG writes = 0;

    for (int i = 1; argc == 2 && i <= 3; i++) {
        HMODULE dll = LoadLibraryA(argv[1]);
        begin_function *begin =
            dll ? (begin_function *)(void *)GetProcAddress(dll, "plugin_begin") : NULL;
        int error = begin ? begin(&registrations, &writes) : -1;

        if (error || registrations != 2 || writes != 2 * i) {
            printf("load %d: %d, %ld registrations, %ld events\n", i, error, registrations, writes);
            return 1;
        }
        if (!FreeLibrary(dll) || registrations) {
            printf("unload %d: %ld registrations\n", i, registrations);
            return 1;
        }
    }
    puts("unloaded");
    return argc != 2;
}
