/* SPDX-License-Identifier: MIT */
/* Internet addresses: %pI4, %pI6, %pI6c, %pIS and their variants. */
#include "decode/print_eval.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static void put_number(struct decode_print_run *run, uint64_t value)
{
    decode_print_put_number(run, value, 10, 1);
}

/* "%pI4" 127.0.0.1, "%pi4" 127.000.000.001 */
static void put_ipv4(struct decode_print_run *run, char form, const uint8_t *address)
{
    for (unsigned n = 0; n < 4; n++) {
        if (n)
            decode_print_put_char(run, '.');
        decode_print_put_number(run, address[n], 10, form == 'i' ? 3 : 1);
    }
}

/* ---- IPv6 ---- */

#define GROUPS 8u

/* A run of groups of an address that are 0. */
struct zero_run {
    unsigned begin;
    unsigned end;
};

static uint16_t group_of(const uint8_t *address, unsigned index)
{
    return (uint16_t)(address[2 * index] << 8 | address[2 * index + 1]);
}

/* True for an IPv4 address in IPv6's form, and for an interface with one (ISATAP, RFC 5214). */
static bool ends_with_ipv4(const uint8_t *address)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    bool is_isatap = (group_of(address, 4) & ~0x0200) == 0 && group_of(address, 5) == 0x5efe;

    return is_isatap || !memcmp(address, mapped, sizeof(mapped));
}

/* The longest run, and the first of equal ones. A single group is none. */
static struct zero_run find_zeros(const uint8_t *address, unsigned groups)
{
    struct zero_run longest = {0};

    for (unsigned begin = 0; begin < groups; begin++) {
        unsigned end = begin;

        while (end < groups && !group_of(address, end))
            end++;
        if (end - begin > 1 && end - begin > longest.end - longest.begin)
            longest = (struct zero_run){begin, end};
    }
    return longest;
}

/*
 * "2001::1", as the kernel writes it: only addresses that contain one of IPv4 end with its form.
 * inet_ntop also writes "::0.1.0.2".
 */
static void put_ipv6_short(struct decode_print_run *run, const uint8_t *address)
{
    bool has_ipv4 = ends_with_ipv4(address);
    unsigned groups = has_ipv4 ? GROUPS - 2 : GROUPS;
    struct zero_run zeros = find_zeros(address, groups);

    for (unsigned n = 0; n < groups; n++) {
        if (n >= zeros.begin && n < zeros.end) {
            if (n == zeros.begin)
                decode_print_put(run, "::", 2);
            continue;
        }
        if (n && n != zeros.end)
            decode_print_put_char(run, ':');
        decode_print_put_number(run, group_of(address, n), 16, 1);
    }
    if (has_ipv4) {
        decode_print_put_char(run, ':');
        put_ipv4(run, 'I', address + 2 * groups);
    }
}

/* "%pI6" has all groups, "%pi6" no colons; "%pI6c" is the short form. */
static void put_ipv6(struct decode_print_run *run, char form, bool is_short, const uint8_t *address)
{
    if (is_short && form == 'I') {
        put_ipv6_short(run, address);
        return;
    }
    for (unsigned n = 0; n < GROUPS; n++) {
        if (n && form == 'I')
            decode_print_put_char(run, ':');
        decode_print_put_number(run, group_of(address, n), 16, 4);
    }
}

/* ---- socket addresses ---- */

static void put_port(struct decode_print_run *run, const uint8_t *port)
{
    decode_print_put_char(run, ':');
    put_number(run, (uint64_t)port[0] << 8 | port[1]);
}

/* A sockaddr_in6: "[::1]:80" with its port, flow and scope where the form asks for them. */
static void put_sockaddr6(struct decode_print_run *run, const char *form, const uint8_t *data)
{
    const char *options = form + 2;
    bool has_more = strpbrk(options, "pfs") != NULL;

    if (has_more)
        decode_print_put_char(run, '[');
    put_ipv6(run, form[0], strchr(options, 'c') != NULL, data + 8);
    if (has_more)
        decode_print_put_char(run, ']');
    if (strchr(options, 'p'))
        put_port(run, data + 2);
    if (strchr(options, 'f')) {
        uint32_t flow;

        memcpy(&flow, data + 4, sizeof(flow));
        decode_print_put_char(run, '/');
        put_number(run, ntohl(flow) & 0xfffff);
    }
    if (strchr(options, 's')) {
        uint32_t scope;

        memcpy(&scope, data + 24, sizeof(scope));
        decode_print_put_char(run, '%');
        put_number(run, run->record->swap ? __builtin_bswap32(scope) : scope);
    }
}

static bool put_sockaddr(struct decode_print_run *run, const char *form,
                         struct decode_print_value value)
{
    uint16_t family;

    if (value.bytes < sizeof(family))
        return false;
    memcpy(&family, value.data, sizeof(family));
    if (run->record->swap)
        family = __builtin_bswap16(family);
    if (family == AF_INET && value.bytes >= 8) {
        put_ipv4(run, form[0], value.data + 4);
        if (strchr(form + 2, 'p'))
            put_port(run, value.data + 2);
        return true;
    }
    if (family == AF_INET6 && value.bytes >= sizeof(struct sockaddr_in6)) {
        put_sockaddr6(run, form, value.data);
        return true;
    }
    if (family == AF_INET || family == AF_INET6)
        return false;
    decode_print_put(run, "(family ", 8);
    put_number(run, family);
    decode_print_put_char(run, ')');
    return true;
}

bool decode_print_put_network(struct decode_print_run *run, const char *form,
                              struct decode_print_value value)
{
    if (!value.data)
        return false;
    if (form[1] == 'S')
        return put_sockaddr(run, form, value);
    if (form[1] == '6' && value.bytes >= 16) {
        put_ipv6(run, form[0], form[2] == 'c', value.data);
        return true;
    }
    if (form[1] != '4' || value.bytes < 4)
        return false;
    put_ipv4(run, form[0], value.data);
    return true;
}
