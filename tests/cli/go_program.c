/* SPDX-License-Identifier: MIT */
/* A program with the note of Go's linker: `cairn run` takes it for a Go program. */
__asm__(".pushsection .note.go.buildid, \"a\", %note\n"
        ".balign 4\n"
        ".long 4, 4, 4\n"
        ".asciz \"Go\\0\"\n"
        ".long 0\n"
        ".popsection\n");

int main(void)
{
    return 0;
}
