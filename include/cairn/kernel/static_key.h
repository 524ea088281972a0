/* SPDX-License-Identifier: MIT */
/*
 * Static keys: questions that the code answers by itself. While a key is disabled, each place that
 * asks for it is a no-op; enabling it makes these places jumps, on every CPU, while they run.
 *
 *   key     what is enabled and disabled, counted: enabled while more ask for it than take it back
 *   site    a place that asks: cairn_static_branch(&key) in a condition
 *   branch  what the linker section says of a site: where it is, where it leads, whose it is
 *   keys    all sites of a program or a kernel, and who patches them
 *
 * Sites are patched in code that is compiled with -DCAIRN_STATIC_KEYS, for x86-64, aarch64 and
 * riscv64. In all other code a site is a load and a branch; one key may have sites of both kinds.
 * Code for a host that cannot patch is compiled without it.
 *
 * How text that runs is changed, on each architecture, and what a host must supply for that:
 * docs/static-keys.md. Freestanding; nothing here allocates or takes a lock.
 */
#ifndef CAIRN_KERNEL_STATIC_KEY_H
#define CAIRN_KERNEL_STATIC_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Members are not the user's: initialize a key with CAIRN_STATIC_KEY_INIT, or zeros. A key lives as
 * long as the code that asks for it; a site's key is a constant address: an object of static
 * storage duration, or a member of one, in the same program, library or kernel (in a library that
 * is compiled with -fPIC, one that is static or hidden).
 */
struct cairn_static_key {
    uint32_t count;                /* so many have enabled it and not taken that back */
    uint32_t queued;               /* 1: among the pending */
    uint32_t round;                /* the last round in which its sites were looked at */
    uint32_t wanted;               /* 1: in that round its sites became jumps */
    int32_t error;                 /* of that round; 0: its sites are as wanted */
    struct cairn_static_key *next; /* of the pending */
};

#define CAIRN_STATIC_KEY_INIT \
    {                         \
        0, 0, 0, 0, 0, NULL   \
    }

/* A site. Each member counts from its own address. Never written to. */
struct cairn_static_branch {
    int32_t code;
    int32_t target;
    int32_t key;
};

/*
 * What patching takes, of the host. Both are called from whatever context a key is enabled or
 * disabled in, by one CPU at a time. What they run must have no sites in it.
 */
struct cairn_static_key_host {
    /*
     * Writes size_bytes (1 to 4) to executable memory, which may be mapped read-only, and makes
     * them visible to the instruction fetch of this CPU and, after sync_cores, of all CPUs. 4 bytes
     * at an address that is a multiple of 4 are written by one store.
     * Returns 0; or any errno code, and has written nothing.
     */
    int (*write_text)(void *at, const void *bytes, size_t size_bytes);
    /*
     * Returns when every CPU, this one too, has executed an instruction that synchronizes its
     * instruction stream: x86-64 any serializing one (iret, cpuid), aarch64 isb, riscv64 fence.i.
     */
    void (*sync_cores)(void);
};

/* Members are not the user's. All zeros until it is initialized. Keys that are enabled before that
 * are counted, and cairn_static_key_enable says so by EINPROGRESS. */
struct cairn_static_keys {
    const struct cairn_static_key_host *host;
    const struct cairn_static_branch *start;
    const struct cairn_static_branch *stop;
    struct cairn_static_key *pending; /* whose sites have to be looked at */
    uint32_t patching;                /* 1: somebody does that */
    uint32_t round;
    bool ready; /* initialized */
};

/* The sites of this program: where the linker, or include/cairn/cairn.ld, has put them. */
extern const struct cairn_static_branch __start_cairn_static_branches[]
    __attribute__((weak, visibility("hidden")));
extern const struct cairn_static_branch __stop_cairn_static_branches[]
    __attribute__((weak, visibility("hidden")));

/*
 * Checks all sites from start to stop (__start_cairn_static_branches and
 * __stop_cairn_static_branches) and patches those of keys that were enabled before. `keys` and
 * `host` are the caller's and stay; `host` may be NULL when there are no sites: keys are then just
 * counted. Once, before another CPU or an interrupt uses `keys`.
 * Returns 0; EBADMSG a site holds neither a no-op nor its jump, or the section is no whole number
 * of sites; EOPNOTSUPP there are sites, and the host, or this architecture, cannot patch; ERANGE a
 * site's target is out of a jump's reach; or what write_text said, and `keys` is in use.
 */
int cairn_static_keys_init(struct cairn_static_keys *keys, const struct cairn_static_key_host *host,
                           const struct cairn_static_branch *start,
                           const struct cairn_static_branch *stop);

/*
 * Enable a key once more, and take that back. Any context that the host's two functions can do
 * with, also a callback or an interrupt that comes while keys are patched: whoever patches then
 * does this too before it leaves, and this returns 0 at once. Otherwise all CPUs have seen the
 * change on return.
 * Returns 0; E2BIG enabled 2^32 - 1 times already; EINVAL disabling what is not enabled;
 * EINPROGRESS `keys` is not initialized: the key is counted, but its sites stay as they are until
 * it is; or what write_text said: the key is as it was before the call, and so are those sites that
 * could be written. An error while somebody else's change was made for it is tried again by the
 * next call with that key.
 */
int cairn_static_key_enable(struct cairn_static_keys *keys, struct cairn_static_key *key);
int cairn_static_key_disable(struct cairn_static_keys *keys, struct cairn_static_key *key);

/* Whether a key is enabled, by its count: a load. Any context. */
static inline bool cairn_static_key_is_enabled(const struct cairn_static_key *key)
{
    return __atomic_load_n(&key->count, __ATOMIC_RELAXED) != 0;
}

#if defined(__x86_64__)
/*
 * For the handler of breakpoints (#BP, SIGTRAP), before anything else looks at one: a CPU has run
 * into a site that is being patched. `ip` is where it would go on, one byte behind the int3.
 * Returns where it goes on instead; 0 when there is no site: the breakpoint is not ours. Any
 * context, NMIs too.
 */
uintptr_t cairn_static_key_trap(const struct cairn_static_keys *keys, uintptr_t ip);
#endif

#if defined(CAIRN_STATIC_KEYS) && defined(__x86_64__)
#define CAIRN_I_STATIC_SITE "1:\t.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\t" /* nopl 0(%rax,%rax) */
#define CAIRN_I_STATIC_KEY  "%c0"
#define CAIRN_I_STATIC_ARG  "i"
#elif defined(CAIRN_STATIC_KEYS) && defined(__aarch64__)
#define CAIRN_I_STATIC_SITE "1:\tnop\n\t"
#define CAIRN_I_STATIC_KEY  "%c0"
#define CAIRN_I_STATIC_ARG  "Si"
#elif defined(CAIRN_STATIC_KEYS) && defined(__riscv) && __riscv_xlen == 64
#define CAIRN_I_STATIC_SITE ".balign 4\n\t.option push\n\t.option norvc\n1:\tnop\n\t.option pop\n\t"
#define CAIRN_I_STATIC_KEY  "%0"
#define CAIRN_I_STATIC_ARG  "Si"
#endif

#ifdef CAIRN_I_STATIC_SITE
/*
 * "?": the entry goes with the function, also where the linker drops copies of one. The conditional
 * checks the argument's type. `cairn_i_on` has no initializer: clang takes each asm goto of a
 * function to lead to all labels, and C++ lets none of them jump over one.
 */
#define cairn_i_static_branch(key_address)                                                        \
    __extension__({                                                                               \
        __label__ cairn_i_taken;                                                                  \
        bool cairn_i_on;                                                                          \
        cairn_i_on = false;                                                                       \
        __asm__ goto(CAIRN_I_STATIC_SITE                                                          \
                     ".pushsection cairn_static_branches, \"a?\"\n\t"                             \
                     ".balign 4\n\t"                                                              \
                     ".long 1b - ., %l[cairn_i_taken] - ., " CAIRN_I_STATIC_KEY " - .\n\t"        \
                     ".popsection"                                                                \
                     :                                                                            \
                     : CAIRN_I_STATIC_ARG(1 ? (key_address) : (const struct cairn_static_key *)0) \
                     :                                                                            \
                     : cairn_i_taken);                                                            \
        if (0) {                                                                                  \
        cairn_i_taken:                                                                            \
            cairn_i_on = true;                                                                    \
        }                                                                                         \
        cairn_i_on;                                                                               \
    })
#else
#define cairn_i_static_branch(key_address) cairn_static_key_is_enabled(key_address)
#endif

/*
 * cairn_static_branch(&key): true while the key is enabled, and taken to be unlikely. The argument
 * is a constant address. In a function of C++ that has several sites, clang takes them in
 * conditions and assignments, not in initializers.
 */
#define cairn_static_branch(key_address) \
    (__builtin_expect(cairn_i_static_branch(key_address), 0) != 0)

#ifdef __cplusplus
}
#endif

#endif
