/* SPDX-License-Identifier: MIT */
/*
 * A program whose stacks are known: stacks COUNT. Writes COUNT events by main, outer, middle and
 * leaf; the same in a thread; one in a signal handler with a stack of its own; one of a plain
 * tracepoint; one on the stack of a coroutine; and some by functions whose callers have no frame.
 */
#include <cairn/eventheader.h>
#include <cairn/user_events.h>

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_BYTES ((size_t)64 << 10)

CAIRN_PROVIDER(provider, "Cli_Stacks");

static struct cairn_tracepoint plain = CAIRN_TRACEPOINT_INIT;
static ucontext_t back;

/* A static probe, as <sys/sdt.h> makes them: a note with its address, its provider and its name. */
#if defined(__LP64__) && defined(__ELF__)
#define STATIC_PROBE(provider, name)                             \
    __asm__ volatile("990: nop\n"                                \
                     ".pushsection .note.stapsdt, \"\", %note\n" \
                     ".balign 4\n"                               \
                     ".4byte 992f - 991f, 994f - 993f, 3\n"      \
                     "991: .asciz \"stapsdt\"\n"                 \
                     "992: .balign 4\n"                          \
                     "993: .8byte 990b, 0, 0\n"                  \
                     ".asciz \"" provider "\"\n"                 \
                     ".asciz \"" name "\"\n"                     \
                     ".asciz \"\"\n"                             \
                     "994: .balign 4\n"                          \
                     ".popsection")
#else
#define STATIC_PROBE(provider, name) (void)0
#endif

/* Changed after each call, so that no call becomes a jump. */
static volatile unsigned done;

__attribute__((noinline)) static void leaf(unsigned number)
{
    CAIRN_WRITE_EVENT(provider, "Leaf", level(INFORMATION), keyword(1), u32("Number", number));
    STATIC_PROBE("cli", "leaf_probe"); /* here the function has a frame */
    done++;
}

__attribute__((noinline)) static void middle(unsigned number)
{
    leaf(number);
    done++;
}

__attribute__((noinline)) static void outer(unsigned number)
{
    middle(number);
    done++;
}

__attribute__((noinline)) static void *in_thread(void *count)
{
    for (unsigned n = 0; n < *(unsigned *)count; n++)
        outer(n);
    return NULL;
}

__attribute__((noinline)) static void handle(int signal)
{
    (void)signal;
    CAIRN_WRITE_EVENT(provider, "Handler", level(INFORMATION), keyword(1));
    done++;
}

__attribute__((noinline)) static void write_plain(void)
{
    const uint32_t number = 7;

    (void)cairn_tracepoint_write_bytes(&plain, &number, sizeof(number));
    done++;
}

__attribute__((noinline)) static void in_coroutine(void)
{
    CAIRN_WRITE_EVENT(provider, "Coroutine", level(INFORMATION), keyword(1));
    done++;
}

static void run_coroutine(void *stack)
{
    ucontext_t context;

    (void)getcontext(&context);
    context.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
    context.uc_link = &back;
    makecontext(&context, in_coroutine, 0);
    (void)swapcontext(&back, &context);
}

#if defined(__x86_64__)
__attribute__((noinline)) static void broken(void)
{
    CAIRN_WRITE_EVENT(provider, "Broken", level(INFORMATION), keyword(1));
    done++;
}

/* A function that uses the register of frames for something else. */
__attribute__((noinline)) static void call_with(const void *frame)
{
    __asm__ volatile("movq %%rbp, %%r12\n\t"
                     "movq %%rsp, %%r13\n\t"
                     "subq $256, %%rsp\n\t"
                     "andq $-16, %%rsp\n\t"
                     "movq %0, %%rbp\n\t"
                     "call *%1\n\t"
                     "movq %%r13, %%rsp\n\t"
                     "movq %%r12, %%rbp"
                     :
                     : "r"(frame), "r"(broken)
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
                       "memory", "cc");
}

static void break_chains(void *no_access)
{
    call_with(NULL);
    call_with((void *)1);
    call_with(no_access);
    call_with(&plain); /* memory, but not of the stack */
    call_with((char *)__builtin_frame_address(0) - STACK_BYTES * 1024);
    call_with((void *)UINTPTR_MAX);
}
#else
static void break_chains(void *no_access)
{
    (void)no_access;
}
#endif

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    char *memory = mmap(NULL, 3 * STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t other = {.ss_sp = memory, .ss_size = STACK_BYTES};
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    pthread_t thread;

    if (memory == MAP_FAILED || mprotect(memory, 2 * STACK_BYTES, PROT_READ | PROT_WRITE))
        return 1;
    if (cairn_provider_register(&provider) || cairn_tracepoint_register(&plain, "cli_plain u32 n"))
        return 1;
    for (unsigned n = 0; n < count; n++)
        outer(n);
    if (pthread_create(&thread, NULL, in_thread, &count) || pthread_join(thread, NULL))
        return 1;
    if (sigaltstack(&other, NULL) || sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1))
        return 1;
    write_plain();
    run_coroutine(memory + STACK_BYTES);
    break_chains(memory + 2 * STACK_BYTES + 4096);
    cairn_provider_unregister(&provider);
    cairn_tracepoint_unregister(&plain);
    return 0;
}
