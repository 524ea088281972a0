/* SPDX-License-Identifier: MIT */
/* With the note of a Go program: it would call the kernel past the C library. */
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
