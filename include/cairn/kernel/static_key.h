/* SPDX-License-Identifier: MIT */
/*
 * Static keys: conditions that are patched into the code. While a key is disabled, each site that
 * tests it is a no-op; enabling the key patches its sites to jumps, on every CPU, while they run.
 *
 *   key     is enabled while its count, incremented and decremented by users, is not zero
 *   site    code that tests a key: cairn_static_branch(&key) in a condition
 *   branch  describes a site in a linker section: its address, its target, its key
 *   keys    all sites of a program or a kernel, and the state of patching
 *
 * Sites are patched in code that is compiled with -DCAIRN_STATIC_KEYS, for x86-64, aarch64 and
 * riscv64. In all other code a site is a load and a branch; one key may have sites of both kinds.
 * Code for a host that cannot patch is compiled without it.
 *
 * Patching of running text on each architecture, and the functions that a host supplies for it:
 * docs/static-keys.md. Freestanding; nothing here allocates or takes a lock.
 */
#ifndef CAIRN_KERNEL_STATIC_KEY_H
#define CAIRN_KERNEL_STATIC_KEY_H

#include <cairn/deprecated.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Members are internal: initialize a key with CAIRN_STATIC_KEY_INIT, or zeros. A key stays valid as
 * long as the code that tests it; a site's key is a constant address: an object of static storage
 * duration, or a member of one, in the same program, library or kernel (in a library that is
 * compiled with -fPIC, one that is static or hidden).
 */
struct cairn_static_key {
    uint32_t count;                /* enables minus disables */
    uint32_t queued;               /* 1: among the pending */
    uint32_t round;                /* the last round that checked its sites */
    uint32_t wanted;               /* 1: in that round its sites became jumps */
    int32_t error;                 /* of that round; 0: none */
    struct cairn_static_key *next; /* of the pending */
};

#define CAIRN_STATIC_KEY_INIT \
    {                         \
        0, 0, 0, 0, 0, NULL   \
    }

/* A site. Each member is relative to its own address. Read-only. */
struct cairn_static_branch {
    int32_t code;
    int32_t target;
    int32_t key;
};

/*
 * Host functions for patching. Both are called in the context in which a key is enabled or
 * disabled, by one CPU at a time. The code that they run must not contain sites.
 */
struct cairn_static_key_host {
    /*
     * Writes size_bytes (1 to 4) to executable memory, which may be mapped read-only, and makes
     * them visible to the instruction fetch of this CPU and, after sync_cores, of all CPUs. 4 bytes
     * at an address that is a multiple of 4 are written by one store. Returns 0; or any errno code,
     * with nothing written.
     */
    int (*write_text)(void *at, const void *bytes, size_t size_bytes);
    /*
     * Returns when every CPU, this one too, has executed an instruction that synchronizes its
     * instruction stream: x86-64 any serializing one (iret, cpuid), aarch64 isb, riscv64 fence.i.
     */
    void (*sync_cores)(void);
};

/*
 * Members are internal. All zeros until it is initialized. Keys that are enabled before that are
 * counted, and cairn_static_keys_enable returns EINPROGRESS.
 */
struct cairn_static_keys {
    const struct cairn_static_key_host *host;
    const struct cairn_static_branch *start;
    const struct cairn_static_branch *stop;
    struct cairn_static_key *pending; /* keys whose sites have to be checked */
    uint32_t patching;                /* 1: a CPU is patching */
    uint32_t round;
    bool ready; /* initialized */
};

/* The sites of this program, in the section made by the linker or include/cairn/cairn.ld. */
extern const struct cairn_static_branch __start_cairn_static_branches[]
    __attribute__((weak, visibility("hidden")));
extern const struct cairn_static_branch __stop_cairn_static_branches[]
    __attribute__((weak, visibility("hidden")));

/*
 * Checks all sites from start to stop (__start_cairn_static_branches and
 * __stop_cairn_static_branches) and patches those of keys that were enabled before. `keys` and
 * `host` belong to the caller, and must stay valid; `host` may be NULL if there are no sites: keys
 * are then only counted. Call it once, before another CPU or an interrupt uses `keys`. Returns 0;
 * EBADMSG a site holds neither a no-op nor its jump, or the section is no whole number of sites;
 * EOPNOTSUPP there are sites, and the host, or this architecture, cannot patch; ERANGE a site's
 * target is out of a jump's reach; or the error of write_text, and `keys` is in use.
 */
int cairn_static_keys_init(struct cairn_static_keys *keys, const struct cairn_static_key_host *host,
                           const struct cairn_static_branch *start,
                           const struct cairn_static_branch *stop);

/*
 * Increment and decrement a key's count. Any context in which the host's two functions may be
 * called, including a callback or an interrupt while keys are patched: the CPU that is patching
 * then handles this change, too, and this returns 0 at once. Otherwise all CPUs have seen the
 * change on return. Returns 0; E2BIG enabled 2^32 - 1 times already; EINVAL disabling a key that is
 * not enabled; EINPROGRESS `keys` is not initialized: the key is counted, but its sites are
 * unchanged until it is; or the error of write_text: the key is as it was before the call, and so
 * are those sites that could be written. If another CPU made the change and failed, the next call
 * with that key tries again.
 */
int cairn_static_keys_enable(struct cairn_static_keys *keys, struct cairn_static_key *key);
int cairn_static_keys_disable(struct cairn_static_keys *keys, struct cairn_static_key *key);

/* True if a key is enabled, by its count: a load. Any context. */
static inline bool cairn_static_key_is_enabled(const struct cairn_static_key *key)
{
    return __atomic_load_n(&key->count, __ATOMIC_RELAXED) != 0;
}

#if defined(__x86_64__)
/* Must be called first by the handler of breakpoints (#BP, SIGTRAP): a CPU may have executed a site
 * that is being patched. `ip` is the address after the int3. Returns the address at which to
 * resume; 0 if the breakpoint is not at a site. Any context, including NMIs. */
uintptr_t cairn_static_keys_trap(const struct cairn_static_keys *keys, uintptr_t ip);
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
 * "?": the entry is discarded with its function, also if the linker drops copies of one. The
 * conditional checks the argument's type. `cairn_i_on` has no initializer: clang assumes that each
 * asm goto of a function may jump to all labels, and C++ forbids jumps over an initializer.
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
 * cairn_static_branch(&key): true while the key is enabled, predicted false. The argument is a
 * constant address. In a function of C++ that has several sites, clang accepts them in conditions
 * and assignments, not in initializers.
 */
#define cairn_static_branch(key_address) \
    (__builtin_expect(cairn_i_static_branch(key_address), 0) != 0)

#ifdef __cplusplus
}
#endif

#endif
